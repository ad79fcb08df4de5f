// What a page asks the local server about its access. Each call rejects when the server can't be reached.

import { isRecord } from "@hawser/wire";
import { attemptHeader } from "../../link/access-words.ts";

export interface Door {
  /** The credential that a key is exchanged for; undefined when the key is not good, or no longer. The same attempt may ask again. */
  exchange(key: string, attempt: string): Promise<string | undefined>;
  /** A key for another tab; undefined when the credential does not count any more. */
  newKey(credential: string): Promise<string | undefined>;
  isKnown(credential: string): Promise<boolean>;
}

export const toBearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

/** Without the cookies that servers on other ports of this machine have set: they would all be sent here. */
const toRequest = (secret: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { ...toBearer(secret), ...more },
  credentials: "omit",
});

export const serverDoor: Door = {
  exchange: (key, attempt) => askFor("credential", "/credentials", key, { [attemptHeader]: attempt }),
  newKey: (credential) => askFor("key", "/keys", credential),
  async isKnown(credential) {
    const { status } = await fetch("/credentials", toRequest(credential));
    return status !== 401;
  },
};

async function askFor(name: string, path: string, secret: string, more?: Record<string, string>): Promise<string | undefined> {
  const response = await fetch(path, { method: "POST", ...toRequest(secret, more) });
  const answer: unknown = await response.json().catch(() => undefined);
  return isRecord(answer) && typeof answer[name] === "string" ? answer[name] : undefined;
}
