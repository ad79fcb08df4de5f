// Keys of vendors that are kept for the user: in the system's keychain where there is one, else in a file for this user alone. The file
// says of each vendor where its key is, so no keychain is opened for a user who keeps nothing there. A key leaves here for its vendor
// and for nothing else, at the address that it was set for: another configuration may use the name for another server. No sentence holds
// one.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { describeThrown, HawserError, isRecord } from "@hawser/protocol/internal";
import { createSemaphore } from "@hawser/wire/internal";
import { logLine, makeFolder, removeDrafts, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { parseText, readText } from "../config/config-file.ts";
import type { KeptKeys } from "../model/vendors.ts";
import { settingsLimits } from "./limits.ts";

/** The system's own. Each rejects, within a bounded time, where it can't be used. */
export interface Keychain {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

interface Addressed {
  /** Where the key goes; vendors that have but one address have none here. */
  readonly address?: string | undefined;
}

/** What the file says of one vendor: its key, or that the keychain has it. */
type Entry = Addressed & ({ readonly key: string } | { readonly keychain: true });
type Entries = ReadonlyMap<string, Entry>;

export interface KeyStore extends KeptKeys {
  /** Whatever its address is. */
  placeOf(vendor: string): "keychain" | "file" | "none";
  /** Until it resolves, more may come from the keychain; undefined where that has nothing of ours. */
  readonly ready: Promise<void> | undefined;
  /** An empty key is removed, whatever its address is. Throws `usage` for what can't be a key, and where it can't be kept. */
  set(vendor: string, key: string, address?: string): Promise<void>;
  /** The vendor is at this address no more: its key goes, unless it is for another one. */
  leave(vendor: string, address: string): Promise<void>;
}

/** The address as well: of two that are set at once under one name, neither takes the place of the other. */
const toAccount = (vendor: string, address: string | undefined): string => (address === undefined ? vendor : `${vendor} ${address}`);

export function createKeyStore(path: string, keychain: Keychain): KeyStore {
  /** With their addresses: what the file says may be of another process by now. */
  const keys = new Map<string, Addressed & { readonly key: string }>();
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
  for (const [vendor, entry] of entries) if ("key" in entry) keys.set(vendor, entry);

  async function fetchFromKeychain(): Promise<void> {
    const kept = [...entries].filter(([, entry]) => "keychain" in entry);
    await Promise.all(
      kept.map(async ([vendor, { address }]) => {
        const { key, problem } = await keychain.get(toAccount(vendor, address)).then(
          (found) => ({ key: found, problem: "the keychain has it no more; set it again" }),
          (error: unknown) => ({ key: undefined, problem: `the keychain can't be used: ${describeThrown(error)}` }),
        );
        if (overtaken.has(vendor)) return;
        if (key === undefined) problems.set(vendor, problem);
        else keys.set(vendor, { key, address });
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
      problems.delete(vendor);
    });
  }

  /** As another process may have left it. */
  function lookAgain(vendor: string): Entry | undefined {
    try {
      entries = readEntries(path);
    } catch {
      // It was told at the start, and is when something is to be changed.
    }
    return entries.get(vendor);
  }

  async function keep(vendor: string, key: string, address: string | undefined): Promise<void> {
    const before = lookAgain(vendor);
    const isInKeychain = await keychain.set(toAccount(vendor, address), key).then(
      () => true,
      () => false,
    );
    await change(vendor, { ...(isInKeychain ? { keychain: true } : { key }), ...(address !== undefined && { address }) });
    keys.set(vendor, { key, address });
    // One that is still there goes nowhere any more.
    if (before && "keychain" in before && before.address !== address)
      await keychain.remove(toAccount(vendor, before.address)).catch(() => undefined);
  }

  async function remove(vendor: string): Promise<void> {
    const before = lookAgain(vendor);
    // Out of the keychain first: what the file does not name any more would stay there for ever.
    if (before && "keychain" in before) await keychain.remove(toAccount(vendor, before.address));
    if (before) await change(vendor, undefined);
    keys.delete(vendor);
  }

  const isKeptFor = (vendor: string, address: string | undefined): boolean => {
    const known = keys.get(vendor) ?? entries.get(vendor);
    return known !== undefined && known.address === address;
  };

  return {
    get: (vendor, address) => (isKeptFor(vendor, address) ? keys.get(vendor)?.key : undefined),
    placeOf(vendor) {
      const entry = entries.get(vendor);
      return entry === undefined ? "none" : "key" in entry ? "file" : "keychain";
    },
    problemOf(vendor, address) {
      const entry = entries.get(vendor);
      if (entry === undefined || isKeptFor(vendor, address)) return problems.get(vendor);
      if (entry.address === undefined) return "it was kept without an address; set it again";
      return "it was set for another address; set it again";
    },
    ready: [...entries.values()].some((entry) => "keychain" in entry) ? fetchFromKeychain() : undefined,
    set: (vendor, key, address) =>
      oneByOne.run(async () => {
        const trimmed = key.trim();
        checkKey(trimmed);
        if (trimmed === "") await remove(vendor);
        else await keep(vendor, trimmed, address);
      }),
    leave: (vendor, address) =>
      oneByOne.run(async () => {
        const entry = lookAgain(vendor);
        if (entry !== undefined && (entry.address ?? address) === address) await remove(vendor);
        else if (keys.get(vendor)?.address === address) keys.delete(vendor);
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
      if (isRecord(entry) && (entry["address"] === undefined || typeof entry["address"] === "string")) {
        const { key, keychain, address } = entry;
        if (typeof key === "string") return [vendor, { key, address }];
        if (keychain === true) return [vendor, { keychain, address }];
      }
      throw new HawserError("usage", "it has an entry that is neither a key nor in the keychain");
    }),
  );
}
