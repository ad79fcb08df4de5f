// One runtime per conversation. The lock is a folder. A process that wants it first puts a name of its own there and
// then looks for others: of two, at least one sees the other, so there are never two holders. A name is never used
// again, so any process may remove that of a dead one at any time. The holder touches its name while it lives, for
// those in other containers, which can't see its process. One that was taken for dead (a paused container) finds its
// name gone before it writes again.

import { rmdirSync, rmSync } from "node:fs";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { isMissing } from "./conversation-files.ts";
import {
  createHolderName,
  describeHolder,
  isSilent,
  judgeHolder,
  onProcessEnd,
  pidOfHolder,
  startBeat,
  staysSilent,
} from "@hawser/wire/internal/node";

export interface ConversationLock {
  /** Whether the name is still there. */
  isHeld(): Promise<boolean>;
  release(): void;
}

/** Marks the name of a process that has looked and found no other. */
const heldMark = ".held";
const attempts = 40;
const maxPauseMs = 25;

/** Throws `overloaded` that names the process which holds it. */
export async function lockConversation(lockFolder: string, shownId: string): Promise<ConversationLock> {
  const name = createHolderName();
  let other = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!(await putName(lockFolder, name))) continue;
    const rivals = await findRivals(lockFolder, name);
    if (rivals.living.length === 0 && rivals.silent.length === 0) return hold(lockFolder, name);
    removeName(lockFolder, name);
    const holder = rivals.living.find((entry) => entry.endsWith(heldMark));
    other = holder ?? rivals.living[0] ?? rivals.silent[0] ?? "";
    if (holder !== undefined) break;
    // Chance decides who is first next time, of two that have seen each other.
    if (rivals.silent.length > 0) await Promise.all(rivals.silent.map((entry) => removeIfSilent(lockFolder, entry)));
    else await sleep(Math.random() * maxPauseMs);
  }
  const holderName = toName(other);
  const message = `conversation ${shownId} is in use by another runtime, ${describeHolder(holderName)}; close it there, or use another conversation`;
  throw new HawserError("overloaded", message, { facts: { pid: pidOfHolder(holderName) } });
}

const toName = (entry: string): string => entry.replace(heldMark, "");

/** False when the folder was removed just then. */
async function putName(lockFolder: string, name: string): Promise<boolean> {
  const ignore = (expected: string) => (error: NodeJS.ErrnoException) => {
    if (error.code !== expected) throw error;
    return false;
  };
  await mkdir(lockFolder, { mode: 0o700 }).catch(ignore("EEXIST"));
  return writeFile(join(lockFolder, name), "", { flag: "wx", mode: 0o600 }).then(() => true, ignore("ENOENT"));
}

interface Rivals {
  readonly living: string[];
  /** Those that can't be seen from here and have given no sign of life for long. */
  readonly silent: string[];
}

/** Who is in the folder besides `ownName`; what a process left there that is gone is removed. */
async function findRivals(lockFolder: string, ownName?: string): Promise<Rivals> {
  const rivals: Rivals = { living: [], silent: [] };
  for (const entry of await readdir(lockFolder)) {
    const state = entry === ownName ? undefined : judgeHolder(toName(entry));
    if (state === "gone") await rm(join(lockFolder, entry), { force: true });
    else if (state === "unsure" && (await isSilent(join(lockFolder, toName(entry))))) rivals.silent.push(entry);
    else if (state !== undefined) rivals.living.push(entry);
  }
  return rivals;
}

async function removeIfSilent(lockFolder: string, entry: string): Promise<void> {
  if (await staysSilent(join(lockFolder, toName(entry)))) await rm(join(lockFolder, entry), { force: true });
}

async function hold(lockFolder: string, name: string): Promise<ConversationLock> {
  const path = join(lockFolder, name);
  const endBeat = startBeat(path);
  const remove = (): void => {
    endBeat();
    removeName(lockFolder, name);
  };
  const forget = onProcessEnd(remove);
  const release = (): void => {
    forget();
    remove();
  };
  // A second file and not another name for the first: a process that reads the folder meanwhile could miss both names.
  await writeFile(path + heldMark, "", { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    release();
    throw error;
  });
  return { release, isHeld: async () => !(await isMissing(path)) };
}

// Synchronous, since a process that ends has no time for anything else. The mark goes first: without its name it would mean nothing.
function removeName(lockFolder: string, name: string): void {
  rmSync(join(lockFolder, name + heldMark), { force: true });
  rmSync(join(lockFolder, name), { force: true });
  try {
    rmdirSync(lockFolder);
  } catch {
    // Another name is there, or the folder is gone.
  }
}

/** Removes what dead processes have left in a lock that no process asks for any more. A holder that has to be watched must have been silent for a day. */
export async function sweepLock(lockFolder: string): Promise<void> {
  try {
    for (const entry of (await findRivals(lockFolder)).silent) {
      const path = join(lockFolder, toName(entry));
      if (await isSilent(path, wireLimits.staleFolderMs)) await rm(join(lockFolder, entry), { force: true });
    }
    await rmdir(lockFolder);
  } catch {
    // Gone, in use, or not to be written.
  }
}
