// The tour, step seven: a child that is killed in the middle of a request.

import { toHawserError } from "@hawser/wire";
import type { EchoChild, Stage } from "./stage.ts";
import { formatMs, time } from "./timing.ts";

const hourMs = 3_600_000;
const promptMs = 15_000;

export async function showKilledChild(stage: Stage, { child, client }: EchoChild): Promise<void> {
  stage.title("A child that is killed");
  const call = client.call({ kind: "sleep", ms: hourMs }).then(
    () => undefined,
    (error: unknown) => toHawserError(error),
  );
  // Once status is answered, the request before it has been read.
  await client.call({ kind: "status" });
  stage.fact(`process ${child.pid} works on a request and gets SIGKILL`);
  child.kill("SIGKILL");
  const { result: error, ms } = await time(call);
  stage.fact(`the caller was told after ${formatMs(ms)}: ${error?.code}:`);
  stage.fact(error?.message ?? "nothing");
  stage.prove("nobody waits for a process that is gone", error?.code === "connection_lost" && ms < promptMs);
  await child.stop();
}
