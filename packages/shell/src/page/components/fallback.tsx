// Shows something else where drawing fails: one part that can't be drawn must not take the page with it.

import { describeThrown } from "@hawser/wire";
import { Component, type ReactNode } from "react";

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
      <button type="button" className="button button-main" onClick={() => location.reload()}>
        Load it again
      </button>
    </main>
  );
}
