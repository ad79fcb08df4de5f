// Telling a killed session's socket from everything else. A connection is refused not only by a socket
// on which nobody listens but also by any file that is no socket, so the refusal alone proves nothing.

import fs from "node:fs";
import { probeSocket } from "./connect.ts";
import { identityOf, isSameFile } from "./file-identity.ts";

/** True for our user's socket on which nobody listens, if it is still the same file after the probe. */
export async function isDeadSocket(path: string): Promise<boolean> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isSocket() || stat.uid !== process.getuid?.()) return false;
  const before = identityOf(path);
  return (await probeSocket(path)) === "dead" && isSameFile(before, identityOf(path));
}
