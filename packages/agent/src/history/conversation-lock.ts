// One runtime per conversation. The lock is a folder in which everybody who wants it first puts a name of
// his own and then looks for the others: of two, at least one sees the other, so there are never two
// holders. A name is never used again, so the name of a dead process can be removed by anybody at any time;
// nobody can remove a lock that he has judged dead and that has become another's meanwhile.

import { rmdirSync, rmSync } from "node:fs";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/wire";
import { onProcessEnd } from "@hawser/wire/node";
import { createHolderName, isHolderAlive, pidOf } from "./process-identity.ts";

export interface ConversationLock {
  release(): void;
}

/** Marks the name of one who has looked and found nobody. */
const heldMark = ".held";
const attempts = 40;
const maxPauseMs = 25;

/** Throws `overloaded` that names the process which holds it. */
export async function lockConversation(lockFolder: string, shownId: string): Promise<ConversationLock> {
  const name = await createHolderName();
  let other = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!(await putName(lockFolder, name))) continue;
    const rivals = await livingIn(lockFolder, name);
    if (rivals.length === 0) return hold(lockFolder, name);
    removeName(lockFolder, name);
    const holder = rivals.find((entry) => entry.endsWith(heldMark));
    other = holder ?? rivals[0] ?? "";
    if (holder !== undefined) break;
    // Both have seen each other. Chance decides who is first next time.
    await sleep(Math.random() * maxPauseMs);
  }
  const pid = pidOf(other.replace(heldMark, ""));
  const message = `conversation ${shownId} is in use by another runtime, process ${pid}; close it there, or use another conversation`;
  throw new HawserError("overloaded", message, { facts: { pid } });
}

/** False when the folder was removed just then. */
async function putName(lockFolder: string, name: string): Promise<boolean> {
  const ignore = (expected: string) => (error: NodeJS.ErrnoException) => {
    if (error.code !== expected) throw error;
    return false;
  };
  await mkdir(lockFolder, { mode: 0o700 }).catch(ignore("EEXIST"));
  return writeFile(join(lockFolder, name), "", { flag: "wx", mode: 0o600 }).then(() => true, ignore("ENOENT"));
}

/** Those in the folder besides `ownName` whose process lives; the others are removed. */
async function livingIn(lockFolder: string, ownName?: string): Promise<string[]> {
  const living: string[] = [];
  for (const entry of await readdir(lockFolder)) {
    if (entry === ownName) continue;
    const isAlive = await isHolderAlive(entry.replace(heldMark, ""));
    if (isAlive === true) living.push(entry);
    else if (isAlive === false) await rm(join(lockFolder, entry), { force: true });
  }
  return living;
}

async function hold(lockFolder: string, name: string): Promise<ConversationLock> {
  // A second file and not another name for the first: somebody who reads the folder meanwhile could miss both names.
  const remove = (): void => removeName(lockFolder, name);
  const forget = onProcessEnd(remove);
  await writeFile(join(lockFolder, name + heldMark), "", { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    forget();
    remove();
    throw error;
  });
  return {
    release() {
      forget();
      remove();
    },
  };
}

// Synchronous, since a process that ends has no time for anything else. The mark goes first: without its name it would mean nothing.
function removeName(lockFolder: string, name: string): void {
  rmSync(join(lockFolder, name + heldMark), { force: true });
  rmSync(join(lockFolder, name), { force: true });
  try {
    rmdirSync(lockFolder);
  } catch {
    // Somebody else has put his name there.
  }
}

/** Removes what dead processes have left in a lock that nobody asks for any more. */
export async function sweepLock(lockFolder: string): Promise<void> {
  try {
    const living = await livingIn(lockFolder);
    if (living.length === 0) await rmdir(lockFolder);
  } catch {
    // Gone, or in use again.
  }
}
