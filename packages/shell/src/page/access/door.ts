// What a page has of its access: the credential that this tab holds, and the calls to the local server about it, each of
// which rejects when the server can't be reached.

import { isRecord } from "@hawser/protocol/internal";
import { attemptHeader } from "../../link/page-frames.ts";
import { orUndefined } from "../../or-undefined.ts";

export interface Door {
  /** The credential that a key is exchanged for; undefined when the key is not good, or no longer. The same attempt may ask again. */
  exchange(key: string, attempt: string): Promise<string | undefined>;
  /** A key for another tab; undefined when the credential does not count any more. */
  newKey(credential: string): Promise<string | undefined>;
  isKnown(credential: string): Promise<boolean>;
}

export const toBearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

export const serverDoor: Door = {
  exchange: (key, attempt) => askFor("credential", "/credentials", key, { [attemptHeader]: attempt }),
  newKey: (credential) => askFor("key", "/keys", credential),
  async isKnown(credential) {
    const { status } = await fetch("/credentials", { headers: toBearer(credential), credentials: "omit" });
    return status !== 401;
  },
};

/** Without the cookies that servers on other ports of this machine have set: they would all be sent here. */
async function askFor(name: string, path: string, secret: string, more?: Record<string, string>): Promise<string | undefined> {
  const response = await fetch(path, { method: "POST", headers: { ...toBearer(secret), ...more }, credentials: "omit" });
  const answer: unknown = await response.json().catch(() => undefined);
  return isRecord(answer) && typeof answer[name] === "string" ? answer[name] : undefined;
}

const storageKey = "hawser-credential";

export type HeldCredential = ReturnType<typeof createHeldCredential>;

/** Kept for this tab: a reload finds it; another tab, another site and another port do not. No request carries it unless the page says so. */
export function createHeldCredential() {
  // A browser may keep nothing; a reload then needs another tab, or a new address.
  const kept = orUndefined(() => sessionStorage.getItem(storageKey)) ?? "";
  // Another program may have had this port, and left something else under this name.
  let current = /^[\w-]+$/.test(kept) ? kept : undefined;
  return {
    read: () => current,
    keep(credential: string | undefined): void {
      current = credential;
      orUndefined(() =>
        credential === undefined ? sessionStorage.removeItem(storageKey) : sessionStorage.setItem(storageKey, credential),
      );
    },
  };
}
