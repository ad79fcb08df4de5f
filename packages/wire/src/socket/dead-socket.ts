// Telling a killed session's socket from everything else. A connection is refused not only by a socket
// on which nobody listens but also by any file that is no socket, and outside Linux by a listener whose
// queue is full for the moment. So one refusal alone proves nothing.

import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { probeSocket } from "./connect.ts";
import { identityOf, isSameFile } from "./file-identity.ts";

/** How many refusals in a row, with a pause between them, count as proof. */
export interface Proof {
  readonly refusals: number;
  readonly pauseMs: number;
}

/** Linux has an error of its own for a full queue (EAGAIN); elsewhere a listener gets time to take from it. */
export const proofFor = (platform: NodeJS.Platform): Proof =>
  platform === "linux" ? { refusals: 1, pauseMs: 0 } : { refusals: 5, pauseMs: 100 };

/** True for our user's socket on which nobody listens, if it is still the same file after the probes. */
export async function isDeadSocket(path: string, proof: Proof = proofFor(process.platform)): Promise<boolean> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSocket() || stat.uid !== process.getuid?.()) return false;
  const before = identityOf(path);
  for (let refusals = 0; refusals < proof.refusals; refusals++) {
    if (refusals > 0) await sleep(proof.pauseMs);
    if ((await probeSocket(path)) !== "dead") return false;
  }
  return isSameFile(before, identityOf(path));
}
