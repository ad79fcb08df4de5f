// Keys of vendors that are kept for the user: in the system's keychain where there is one, else in a file for this user alone. The file
// says of each vendor where its key is, so no keychain is opened for a user who keeps nothing there. A key leaves here for its vendor
// and for nothing else; no sentence holds one.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { createSemaphore } from "@hawser/wire/internal";
import { logLine, makeFolder, removeDrafts, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { parseText, readText } from "../config/config-file.ts";
import { settingsLimits } from "./limits.ts";

/** The system's own. Each rejects, within a bounded time, where it can't be used. */
export interface Keychain {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** What the file says of one vendor: its key, or that the keychain has it. */
type Entry = { readonly key: string } | { readonly keychain: true };
type Entries = ReadonlyMap<string, Entry>;

export interface KeyStore {
  get(vendor: string): string | undefined;
  placeOf(vendor: string): "keychain" | "file" | "none";
  /** Why a key that is kept can't be had. */
  problemOf(vendor: string): string | undefined;
  /** Until it resolves, more may come from the keychain; undefined where that has nothing of ours. */
  readonly ready: Promise<void> | undefined;
  /** An empty key is removed. Throws `usage` for what can't be a key, and where it can't be kept. */
  set(vendor: string, key: string): Promise<void>;
}

export function createKeyStore(path: string, keychain: Keychain): KeyStore {
  const keys = new Map<string, string>();
  const problems = new Map<string, string>();
  /** Vendors whose key was set or removed here: what the keychain said of it before counts no more. */
  const overtaken = new Set<string>();
  const oneByOne = createSemaphore(1);
  let entries: Entries = new Map();
  try {
    entries = readEntries(path);
  } catch (error) {
    logLine(`[hawser] keys in ${path} are not used: ${describeThrown(error)}`);
  }
  for (const [vendor, entry] of entries) if ("key" in entry) keys.set(vendor, entry.key);

  async function fetchFromKeychain(): Promise<void> {
    const kept = [...entries].filter(([, entry]) => "keychain" in entry);
    await Promise.all(
      kept.map(async ([vendor]) => {
        const { key, problem } = await keychain.get(vendor).then(
          (found) => ({ key: found, problem: "the keychain has it no more; set it again" }),
          (error: unknown) => ({ key: undefined, problem: `the keychain can't be used: ${describeThrown(error)}` }),
        );
        if (overtaken.has(vendor)) return;
        if (key === undefined) problems.set(vendor, problem);
        else keys.set(vendor, key);
      }),
    );
  }

  async function change(vendor: string, entry: Entry | undefined): Promise<void> {
    await makeFolder(dirname(path));
    await withFileLock(`${path}.lock`, async () => {
      // Of a process that was killed: a key that is removed must not stay in one.
      await removeDrafts(path);
      // Another process may have changed it meanwhile.
      const changed = new Map(readEntries(path));
      if (entry) changed.set(vendor, entry);
      else changed.delete(vendor);
      if (changed.size > settingsLimits.keyEntries) throw new HawserError("usage", `more than ${settingsLimits.keyEntries} keys`);
      await replacePrivateFile(path, `${JSON.stringify(Object.fromEntries(changed), undefined, 2)}\n`);
      entries = changed;
      overtaken.add(vendor);
    });
  }

  async function keep(vendor: string, key: string): Promise<void> {
    const isInKeychain = await keychain.set(vendor, key).then(
      () => true,
      () => false,
    );
    await change(vendor, isInKeychain ? { keychain: true } : { key });
    keys.set(vendor, key);
  }

  async function remove(vendor: string): Promise<void> {
    const before = entries.get(vendor);
    // Out of the keychain first: what the file does not name any more would stay there for ever.
    if (before && "keychain" in before) await keychain.remove(vendor);
    if (before) await change(vendor, undefined);
    keys.delete(vendor);
  }

  return {
    get: (vendor) => keys.get(vendor),
    placeOf(vendor) {
      const entry = entries.get(vendor);
      return entry === undefined ? "none" : "key" in entry ? "file" : "keychain";
    },
    problemOf: (vendor) => problems.get(vendor),
    ready: [...entries.values()].some((entry) => "keychain" in entry) ? fetchFromKeychain() : undefined,
    set: (vendor, key) =>
      oneByOne.run(async () => {
        const trimmed = key.trim();
        checkKey(trimmed);
        if (trimmed === "") await remove(vendor);
        else await keep(vendor, trimmed);
        problems.delete(vendor);
      }),
  };
}

/** What a header takes; it is not shown. */
function checkKey(key: string): void {
  if (key.length > settingsLimits.keyChars || !/^[\x21-\x7e]*$/.test(key))
    throw new HawserError("usage", "this can't be a key: it is too long, or holds a blank, a line break or a letter that no key has");
}

/** Throws for a file that isn't ours; it is then neither used nor written over. */
function readEntries(path: string): Entries {
  const text = readText(path, false);
  if (text === undefined) return new Map();
  if ((statSync(path).mode & 0o077) !== 0 && process.platform !== "win32")
    throw new HawserError("usage", `${path} can be read by other users; take that away with: chmod 600 ${path}`);
  return parseText(text, { path, parse: toEntries, warn: () => {} });
}

function toEntries(value: unknown): Entries {
  if (!isRecord(value)) throw new HawserError("usage", "it is not a file of keys");
  return new Map(
    Object.entries(value).map(([vendor, entry]): [string, Entry] => {
      if (isRecord(entry) && typeof entry["key"] === "string") return [vendor, { key: entry["key"] }];
      if (isRecord(entry) && entry["keychain"] === true) return [vendor, { keychain: true }];
      throw new HawserError("usage", "it has an entry that is neither a key nor in the keychain");
    }),
  );
}
