// The operations of the API, as far as this machine knows them already: from a document in a file, or from the
// copy of the gateway's. Nothing is fetched. A shell waits for completion, so what takes longer than a second, such
// as a large document that no command has read yet or a file that never answers, ends the process.

import { Worker } from "node:worker_threads";
import { loadIndex, resolveTarget, type GatewayOptions, type GatewaySource, type OperationSummary } from "@hawser/gateway";
import { HawserError } from "@hawser/wire";

const patienceMs = 1_000;

type Where = Pick<GatewayOptions, "gatewayUrl" | "profile" | "specFile">;

/** Throws where nothing is known. */
export async function readKnownOperations(where: Where): Promise<readonly OperationSummary[]> {
  const stopWatch = startWatch();
  try {
    const gateway = await findCopy(where);
    return (await loadIndex({ specFile: where.specFile, gateway })).operations;
  } finally {
    await stopWatch();
  }
}

/** A gateway that never answers: its copy is taken, however old it is. */
async function findCopy({ gatewayUrl, profile }: Where): Promise<GatewaySource | undefined> {
  const target = await resolveTarget({ gatewayUrl, profile }).catch(() => undefined);
  const fetchText = (): Promise<string> => Promise.reject(new HawserError("closed", "nothing is fetched here"));
  return target && { baseUrl: target.baseUrl, fetchText };
}

/** Kills the process in time. Reading a document blocks this thread, and a file may block the exit, so another thread does it. */
function startWatch(): () => Promise<unknown> {
  const watch = new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${patienceMs})`, { eval: true });
  return () => watch.terminate();
}
