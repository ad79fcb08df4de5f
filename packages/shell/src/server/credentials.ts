// What lets a page in. A key stands in an address and can be exchanged once; the credential that it is exchanged
// for is held by the page alone. All pages that stem from one printed address are a family: a key that comes a
// second time has been seen by two, so its whole family loses its access, whichever of the two came first.
// Only digests are kept here, and every comparison takes the same time.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { shellLimits } from "../limits.ts";

export interface Credentials {
  /** For an address that is printed; begins a family. */
  newAddressKey(): { readonly key: string; readonly used: Promise<void> };
  /** For another tab, asked for by one that is in. */
  newTabKey(grant: Grant): string;
  /**
   * The credential; undefined for a key that is not good, or no longer. A page that got no answer asks again with the same
   * attempt, which only that page knows: that is not a second use.
   */
  exchange(key: string, attempt?: string): string | undefined;
  find(credential: string | undefined): Grant | undefined;
}

export interface Grant {
  readonly family: Family;
  /** A tab is connected: its credential is not forgotten, and it hears when access is withdrawn. Returns how to leave. */
  join(onWithdrawn: () => void): () => void;
}

/** One printed address, and what stems from it. */
interface Family {
  isWithdrawn: boolean;
}

interface Secret {
  readonly digest: Buffer;
  readonly family: Family;
}

interface Key extends Secret {
  readonly goodUntil: number;
  /** By which page it was used, and how long that page may repeat it. */
  use?: { readonly attempt: Buffer | undefined; readonly repeatUntil: number };
  onUsed(): void;
}

interface Held extends Secret, Grant {
  readonly tabs: Set<() => void>;
}

export interface CredentialsOptions {
  /** A family has just lost its access. */
  onSecondUse(): void;
  /** Milliseconds that only grow. */
  now?(): number;
}

export function createCredentials({ onSecondUse, now = () => performance.now() }: CredentialsOptions): Credentials {
  // Apart from each other, so that no tab can push out an address that a person has not opened yet.
  const addressKeys: Key[] = [];
  const tabKeys: Key[] = [];
  // The one that was used last stands last.
  const held: Held[] = [];

  function issue(keys: Key[], family: Family, more: Pick<Key, "goodUntil" | "onUsed">): string {
    const key = newSecret();
    keys.push({ digest: digest(key), family, ...more });
    if (keys.length > shellLimits.shellKeyEntries) keys.shift();
    return key;
  }

  function hold(family: Family): string {
    const credential = newSecret();
    const tabs = new Set<() => void>();
    function join(onWithdrawn: () => void): () => void {
      // A function of its own, since two tabs may bring the same one.
      const tab = (): void => onWithdrawn();
      tabs.add(tab);
      return () => tabs.delete(tab);
    }
    held.push({ digest: digest(credential), family, tabs, join });
    const unused = held.findIndex((entry) => entry.tabs.size === 0);
    if (held.length > shellLimits.shellCredentialEntries) held.splice(unused, 1);
    return credential;
  }

  function withdraw(family: Family): void {
    family.isWithdrawn = true;
    for (const entry of held.filter((each) => each.family === family)) {
      held.splice(held.indexOf(entry), 1);
      for (const onWithdrawn of [...entry.tabs]) onWithdrawn();
    }
    onSecondUse();
  }

  return {
    newAddressKey() {
      const { promise: used, resolve: onUsed } = Promise.withResolvers<void>();
      return { key: issue(addressKeys, { isWithdrawn: false }, { goodUntil: Infinity, onUsed }), used };
    },
    newTabKey: ({ family }) => issue(tabKeys, family, { goodUntil: now() + shellLimits.shellKeyMs, onUsed: () => {} }),
    exchange(given, attempt) {
      const key = findSecret([...addressKeys, ...tabKeys], given);
      if (!key || key.family.isWithdrawn) return undefined;
      if (key.use) {
        if (now() <= key.use.repeatUntil && isSameAttempt(key.use.attempt, attempt)) return hold(key.family);
        withdraw(key.family);
        return undefined;
      }
      if (now() > key.goodUntil) return undefined;
      key.use = { attempt: attempt === undefined ? undefined : digest(attempt), repeatUntil: now() + shellLimits.shellKeyMs };
      key.onUsed();
      return hold(key.family);
    },
    find(credential) {
      const entry = credential === undefined ? undefined : findSecret(held, credential);
      if (entry) held.push(...held.splice(held.indexOf(entry), 1));
      return entry;
    },
  };
}

const newSecret = (): string => randomBytes(32).toString("base64url");

// All digests have the same length.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const isSameAttempt = (kept: Buffer | undefined, given: string | undefined): boolean =>
  kept !== undefined && given !== undefined && given !== "" && timingSafeEqual(kept, digest(given));

/** Looks at all of them, so that the time says nothing. */
function findSecret<Entry extends Secret>(entries: readonly Entry[], given: string): Entry | undefined {
  const wanted = digest(given);
  return entries.filter((entry) => timingSafeEqual(entry.digest, wanted))[0];
}
