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
  const explain = (title: string, text: string): Explanation => ({
    title,
    text: message === undefined ? text : `${text} (${message})`,
    canRetry: phase === "closed",
  });
  if (phase === "closed" || (phase === "connecting" && wasConnected))
    return explain(
      "The shell is not connected",
      "Reconnecting… A turn that is running goes on. If you ended the shell, start it again and open the address that it prints.",
    );
  if (phase === "ended") return { title: "The connection has ended", text: message ?? "Open the page again.", canRetry: false };
  if (phase !== "open") return undefined;
  if (runtime === "restarting")
    return explain("The agent ended and is being restarted", "What it was doing has ended; the conversation is kept.");
  if (runtime !== "failed") return undefined;
  const remedy = isDesktop
    ? "Fix the settings, or quit the app and start it again."
    : "Look at what the shell printed in its terminal, and start it again.";
  return explain("The agent can't be started", remedy);
}

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
