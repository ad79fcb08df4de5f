// Whose files this process may rely on: its own user's and root's. Root can change everything anyway; any other user
// could exchange what we have just looked at.

import fs from "node:fs";

/** True on Windows, where files have no such owner. */
export function isTrustedOwner(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 || isOutsideNamespace(uid);
}

// In a sandbox with a user namespace of its own (bubblewrap, a rootless container) the files of the system belong to a
// stand-in for all users that the sandbox does not know, root among them.
function isOutsideNamespace(uid: number): boolean {
  try {
    if (uid !== Number(fs.readFileSync("/proc/sys/kernel/overflowuid", "utf8"))) return false;
    const [inside, , count] = fs.readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/).map(Number);
    return !(inside === 0 && count === 2 ** 32 - 1);
  } catch {
    return false;
  }
}
