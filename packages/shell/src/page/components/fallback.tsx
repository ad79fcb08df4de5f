// What is shown where the page, or a part of it, can't be drawn: one part must not take the page with it. And what is
// shown while the page has no access.

import { describeThrown } from "@hawser/protocol";
import { Component, type ReactNode } from "react";
import { Button } from "./icon.tsx";

interface FallbackProps {
  readonly children: ReactNode;
  /** What is shown instead, given what went wrong. */
  instead(error: unknown): ReactNode;
}

interface FallbackState {
  readonly failure?: { readonly error: unknown };
}

// React tells of such failures to classes only.
export class Fallback extends Component<FallbackProps, FallbackState> {
  override state: FallbackState = {};

  static getDerivedStateFromError(error: unknown): FallbackState {
    return { failure: { error } };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure ? this.props.instead(failure.error) : this.props.children;
  }
}

/** Instead of the whole page. */
export function BrokenPage({ error }: { readonly error: unknown }) {
  return (
    <main role="alert" className="mx-auto max-w-xl space-y-3 p-8">
      <h1 className="text-lg font-semibold">The page could not be drawn</h1>
      <p className="text-sm wrap-anywhere">
        Nothing is lost: the agent keeps the conversation, and a turn that runs goes on. ({describeThrown(error)})
      </p>
      <Button label="Load it again" className="button-main" onClick={() => location.reload()} />
    </main>
  );
}

export function LockedPage({ wasKeyRefused }: { readonly wasKeyRefused: boolean }) {
  return (
    <main className="mx-auto max-w-xl p-8">
      <div role="alert" className="space-y-3">
        <h1 className="text-lg font-semibold">Press Enter in the terminal for a new address</h1>
        <p className="text-sm">
          {wasKeyRefused
            ? "The address that led here was used before, or its shell has ended. It opens one page, once."
            : "This page has no access to the shell, and no open tab of this browser has given it any."}{" "}
          In the terminal where the shell runs, press Enter, and open the address that it prints.
        </p>
        {wasKeyRefused && (
          <p className="text-sm">
            An address that is used twice may have been seen by someone else, so all pages that it had opened have lost their access too.
          </p>
        )}
        <Button label="Try again" className="button-main" onClick={() => location.reload()} />
      </div>
    </main>
  );
}
