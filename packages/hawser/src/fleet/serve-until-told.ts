// How long a program serves a fleet: until a signal comes, somebody on the bus tells it to leave, or the connection is closed. What runs
// then has its time.

import type { Fleet } from "@hawser/fleet/internal";
import { whenAborted, wireLimits } from "@hawser/wire/internal";

interface Served {
  /** Resolves when somebody has told it to leave; rejects when it can't go on. */
  readonly drained: Promise<void>;
  stop(graceMs?: number): Promise<void>;
}

export async function serveUntilTold({ connection }: Fleet, stopping: AbortSignal, { drained, stop }: Served): Promise<void> {
  try {
    await Promise.race([whenAborted(stopping), drained, connection.closed()]);
  } finally {
    // After a signal there is less time than after `hawser fleet drain`, since the system may be going down.
    await stop(stopping.aborted ? wireLimits.signalGraceMs : undefined);
  }
}
