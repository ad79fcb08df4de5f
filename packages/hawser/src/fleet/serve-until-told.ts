// How long a program serves a fleet: until a signal comes, somebody on the bus tells it to leave, or the connection is closed. What runs
// then has its time.

import type { Fleet } from "@hawser/fleet/internal";
import { HawserError } from "@hawser/protocol";
import { whenAborted, wireLimits } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";

interface Served {
  /** Resolves when somebody has told it to leave; rejects when it can't go on. */
  readonly drained: Promise<void>;
  stop(graceMs?: number): Promise<void>;
}

/** Says why it ended, unless it was by a signal; throws `closed` when the connection is. */
export async function serveUntilTold({ connection, servers }: Fleet, stopping: AbortSignal, { drained, stop }: Served): Promise<void> {
  const signalled = whenAborted(stopping).then(() => "signalled" as const);
  const told = drained.then(() => "told" as const);
  const closed = connection.closed().then((cause) => ({ cause }));
  let end: "signalled" | "told" | { readonly cause: void | Error };
  try {
    end = await Promise.race([signalled, told, closed]);
  } finally {
    // After a signal there is less time than after `hawser fleet drain`, since the system may be going down.
    await stop(stopping.aborted ? wireLimits.signalGraceMs : undefined);
  }
  if (end === "told") logLine("hawser: was told to leave (hawser fleet drain); what ran is finished");
  if (typeof end === "string") return;
  const reason = end.cause ? `: ${end.cause.message}` : "";
  throw new HawserError("closed", `the connection to ${servers} is closed for good, so nothing is served any more${reason}`, {
    cause: end.cause,
  });
}
