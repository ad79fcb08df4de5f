// Says what is wrong when the agent can't be reached, what happens next, and what the user can do.

import { usePage, usePageParts } from "../session/page-context.ts";
import type { LinkState } from "../state/page-state.ts";
import { Button } from "./icon.tsx";

interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly canRetry: boolean;
}

export function explainLink({ phase, runtime, message }: LinkState, wasConnected: boolean, isDesktop = false): Explanation | undefined {
  if (phase === "closed" || (phase === "connecting" && wasConnected))
    return {
      title: "The shell is not connected",
      text: withReason(
        "Reconnecting… A turn that is running goes on. If you ended the shell, start it again and open the address that it prints.",
        message,
      ),
      canRetry: phase === "closed",
    };
  if (phase === "ended") return { title: "The connection has ended", text: message ?? "Open the page again.", canRetry: false };
  if (phase !== "open") return undefined;
  if (runtime === "restarting")
    return {
      title: "The agent ended and is being restarted",
      text: withReason("What it was doing has ended; the conversation is kept.", message),
      canRetry: false,
    };
  if (runtime === "failed")
    return {
      title: "The agent can't be started",
      text: withReason(
        isDesktop
          ? "Fix the settings, or quit the app and start it again."
          : "Look at what the shell printed in its terminal, and start it again.",
        message,
      ),
      canRetry: false,
    };
  return undefined;
}

const withReason = (text: string, reason: string | undefined): string => (reason === undefined ? text : `${text} (${reason})`);

export function LinkBanner() {
  const { session, desktop } = usePageParts();
  const link = usePage((state) => state.link);
  const wasConnected = usePage((state) => state.runtime !== undefined);
  const explanation = explainLink(link, wasConnected, desktop !== undefined);
  if (!explanation) return null;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-rope bg-rope-wash px-3 py-2 text-sm sm:px-6">
      <p className="min-w-0 flex-1 basis-60">
        <b className="font-semibold">{explanation.title}.</b> {explanation.text}
      </p>
      {explanation.canRetry && <Button label="Try now" onClick={session.retryLink} />}
    </div>
  );
}
