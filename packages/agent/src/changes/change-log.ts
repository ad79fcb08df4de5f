// What was changed in the roots, on disk, in a private folder: one store for each root, shared by all conversations that work there, and
// used by one process at a time. A store goes with the last conversation that needs it; all of them together are bounded, and the one
// that was used longest ago goes first.

import { createHash } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { createSemaphore, type Semaphore } from "@hawser/wire/internal";
import { createHolderName, isUnwritable, judgeHolder, makeFolder, withFileLock } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { undoLimits } from "./limits.ts";
import { codeOf } from "../tools/files/file-errors.ts";
import { ownKeysIn } from "./own-files.ts";
import { createRootAccess, type RootAccess } from "./root-access.ts";
import type { RootLimits, RootOptions } from "./thread/root-changes.ts";

/** The limits that a program may change. */
export type UndoLimits = Pick<typeof undoLimits, "undoFileBytes" | "undoRootBytes">;

export interface ChangeLogOptions {
  /** Made when it is first needed. */
  readonly folder: string;
  /** Our own files and folders, which are never looked at; `folder` is one of them in any case. */
  readonly settings?: readonly string[] | undefined;
  readonly limits?: Partial<UndoLimits> | undefined;
  /** The folder goes with this process and no other one knows it, so that nothing has to be locked against others. */
  readonly isPassing?: boolean | undefined;
  /** What a look may read where it is asked; more is the thread's. `undoLimits` says it without this. */
  readonly nearBytes?: number | undefined;
}

export type ChangeLog = ReturnType<typeof createChangeLog>;

export type Store = ReturnType<ChangeLog["storeOf"]>;

const conversationsFolder = "conversations";
/** Says which root a store is of. */
const nameFile = "root.json";

export function createChangeLog(options: ChangeLogOptions) {
  const { folder, nearBytes = undoLimits.undoNearBytes } = options;
  const own = [...(options.settings ?? []), folder];
  const lock = options.isPassing ? createOwnLock() : withFileLock;
  const limits = toRootLimits({ ...undoLimits, ...options.limits });
  /** Of this process. */
  const holder = createHolderName();
  const stores = new Map<string, ReturnType<typeof openStore>>();

  function openStore(root: RootOptions) {
    const lane = createSemaphore(1, { maxWaiting: undoLimits.undoWaitingEntries });
    /** Watches and reverts of this process that are under way. */
    const active = new Set<string>();
    /** What calls of this process are about to change, by how many. */
    const busy = new Map<string, number>();
    const marked = new Set<string>();
    let isRecovered = false;
    const ask = createRootAccess(holder, root, nearBytes);

    async function recover(): Promise<void> {
      const pending = await ask("pending");
      const left = pending.filter((one) => (one.holder === holder ? !active.has(one.id) : judgeHolder(one.holder) === "gone"));
      if (left.length > 0)
        await ask(
          "recover",
          left.map(({ id }) => id),
        );
      isRecovered = true;
    }

    async function prepare(): Promise<void> {
      const name = join(root.folder, nameFile);
      // Not forced to the disk, which a turn would wait for: one that a power failure has emptied is written again.
      if ((statSync(name, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
      marked.clear();
      await makeRoom(folder, lock);
      await makeFolder(join(root.folder, conversationsFolder));
      await writeFile(`${name}.draft`, JSON.stringify({ root: root.root }), { mode: 0o600 });
      await rename(`${name}.draft`, name);
    }

    return {
      root: root.root,
      holder,
      active,
      busyKeys: (): string[] => [...busy.keys()],
      hold(keys: readonly string[]): () => void {
        for (const key of keys) busy.set(key, (busy.get(key) ?? 0) + 1);
        return () => {
          for (const key of keys) {
            const count = (busy.get(key) ?? 1) - 1;
            if (count > 0) busy.set(key, count);
            else busy.delete(key);
          }
        };
      },
      /** `looksBack`: first notes what processes that are gone have left. */
      use: <Result>(action: (ask: RootAccess) => Promise<Result>, looksBack = false): Promise<Result> =>
        lane.run(async () => {
          await makeWritable();
          return lock(
            `${root.folder}.lock`,
            async () => {
              await prepare();
              if (looksBack || !isRecovered) await recover();
              return action(ask);
            },
            undoLimits.undoLockMs,
          );
        }),
      /** So that its deletion finds this store. */
      async mark(conversationId: string): Promise<void> {
        if (marked.has(conversationId)) return;
        await makeFolder(join(root.folder, conversationsFolder));
        await writeFile(join(root.folder, conversationsFolder, digestOf(conversationId)), "", { mode: 0o600 });
        marked.add(conversationId);
      },
      unmark(conversationId: string): void {
        marked.delete(conversationId);
      },
    };
  }

  async function makeWritable(): Promise<void> {
    try {
      if (!isFolder(folder)) await makeFolder(folder);
      accessSync(folder, constants.W_OK);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      const message = `the folder ${folder}, where changes are kept, can't be written (${codeOf(error)}): they can neither be listed nor taken back. Make it writable, or name another one with --data-dir`;
      throw new HawserError("usage", message, { cause: error, facts: { path: folder } });
    }
  }

  function storeOf(root: string) {
    const known = stores.get(root);
    if (known) return known;
    const store = openStore({ root, settings: ownKeysIn(root, own), limits, folder: join(folder, toStoreName(root)) });
    stores.set(root, store);
    return store;
  }

  /** The stores that hold something of a conversation. */
  async function storesWith(conversationId: string) {
    const names = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const found: { readonly path: string; readonly store: ReturnType<typeof openStore> }[] = [];
    for (const name of names) {
      const path = join(folder, name.name);
      if (!name.isDirectory() || !(await stat(join(path, conversationsFolder, digestOf(conversationId))).catch(() => undefined))) continue;
      const root = await readRoot(path);
      if (root !== undefined && toStoreName(root) === basename(path)) found.push({ path, store: storeOf(root) });
    }
    return found;
  }

  return {
    storeOf,
    /** `to` goes on from what these requests of `from` have done. */
    async fork(from: string, to: string, requestIds: () => Promise<readonly string[]>): Promise<void> {
      for (const { store } of await storesWith(from)) {
        const shared = [...new Set(await requestIds())];
        await store.use((ask) => ask("fork", from, to, shared));
        await store.mark(to);
      }
    },
    /** The conversation is gone, and with it what only it needed. */
    async forget(conversationId: string): Promise<void> {
      for (const { path, store } of await storesWith(conversationId)) {
        await store.use(async (ask) => {
          const isNeeded = await ask("forget", conversationId);
          await rm(join(path, conversationsFolder, digestOf(conversationId)), { force: true });
          store.unmark(conversationId);
          if (!isNeeded) await rm(path, { recursive: true, force: true });
        });
      }
    },
  };
}

function toRootLimits(limits: typeof undoLimits): RootLimits {
  return {
    maxFileBytes: limits.undoFileBytes,
    maxRootBytes: limits.undoRootBytes,
    maxEntries: limits.undoTreeEntries,
    maxDepth: agentLimits.walkedDepth,
    maxChanges: limits.undoListedEntries,
    maxDiffChars: limits.undoDiffChars,
    maxUntracked: limits.undoUntrackedEntries,
  };
}

const digestOf = (text: string): string => createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex").slice(0, 32);

const readableChars = 40;

/** What is readable of the folder's name, and a hash of its whole path. */
function toStoreName(root: string): string {
  const readable = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, readableChars);
  return `r-${readable}.${digestOf(root)}`;
}

/** Asked at every look, and answered sooner than a promise could be. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

async function readRoot(path: string): Promise<string | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(join(path, nameFile), "utf8"));
    return isRecord(content) && typeof content["root"] === "string" ? content["root"] : undefined;
  } catch {
    return undefined;
  }
}

/** A lock file takes a tenth of a millisecond, which each turn of an agent would wait for; within one process, none is needed. */
function createOwnLock(): typeof withFileLock {
  const seats = new Map<string, Semaphore>();
  return async (path, work, waitMs) => {
    const seat = seats.get(path) ?? createSemaphore(1);
    seats.set(path, seat);
    if (waitMs === 0 && seat.used > 0) throw new HawserError("overloaded", `${path} is in use`);
    return seat.run(work);
  };
}

/** Before another store is begun: those that were used longest ago go, until the others leave enough room. */
async function makeRoom(folder: string, lock: typeof withFileLock): Promise<void> {
  const stores: { readonly path: string; readonly bytes: number; readonly usedAt: number }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) stores.push({ path, ...(await measure(path)) });
  }
  let total = stores.reduce((sum, { bytes }) => sum + bytes, 0);
  let count = stores.length;
  for (const { path, bytes } of stores.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (total + undoLimits.undoRootBytes <= undoLimits.undoFolderBytes && count < undoLimits.undoStoreEntries) return;
    await lock(`${path}.lock`, () => rm(path, { recursive: true, force: true }), 0).then(
      () => {
        total -= bytes;
        count--;
      },
      // It is in use.
      () => undefined,
    );
  }
}

async function measure(path: string): Promise<{ readonly bytes: number; readonly usedAt: number }> {
  let [bytes, usedAt] = [0, 0];
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const found = entry.isFile() ? await stat(join(path, entry.name)).catch(() => undefined) : undefined;
    bytes += found?.size ?? 0;
    usedAt = Math.max(usedAt, found?.mtimeMs ?? 0);
  }
  return { bytes, usedAt };
}
