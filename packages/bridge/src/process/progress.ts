// Progress of one call, for a client that asked for it. When the function itself is silent, a
// heartbeat says that the call lives, since clients give up after a minute of silence.

import { limits } from "@hawser/wire";
import { boundedText } from "../bounded-text.ts";
import type { CallContext } from "./call-context.ts";
import type { CallEvents } from "./connection.ts";

export interface ProgressReporter {
  readonly report: CallEvents["onProgress"];
  stop(): void;
}

export function createProgressReporter({ progressToken, notifyProgress }: CallContext): ProgressReporter {
  if (progressToken === undefined) return { report: () => {}, stop: () => {} };
  let last: number | undefined;

  function notify(progress: number, details: { total?: number; message?: string }): void {
    last = progress;
    notifyProgress({ progressToken: progressToken as string | number, progress, ...details });
  }

  const heartbeat = setInterval(() => notify(slightlyMore(last ?? 0), {}), limits.progressHeartbeatMs);
  return {
    report({ progress, total, message }) {
      // Must grow, says the protocol.
      if (last !== undefined && progress <= last) return;
      heartbeat.refresh();
      notify(progress, { ...(total !== undefined && { total }), ...(message !== undefined && { message: boundedText(message) }) });
    },
    stop: () => clearInterval(heartbeat),
  };
}

// Far below any real step, but never lost in a large number's rounding.
const slightlyMore = (progress: number): number => progress + Math.max(1e-6, Math.abs(progress) * 1e-9);
