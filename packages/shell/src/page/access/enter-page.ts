// How a page gets access to its server, and keeps it: by the key in its address, by the credential that this tab
// already holds, or by another tab. Where none of these helps, only a new address does.

import { toSubprotocols } from "../../link/page-frames.ts";
import { serverDoor, toBearer, type Door, createHeldCredential } from "./door.ts";
import { openKeyChannel } from "./key-channel.ts";

export interface PageAccess {
  /** For requests of the page. */
  headers(): Record<string, string>;
  /** For its WebSocket. */
  subprotocols(): readonly string[];
  /** False when the credential does not count any more, and no open tab has given another one. */
  isStillGood(): Promise<boolean>;
}

export interface EnterOptions {
  /** From the address, which does not show it any more. */
  readonly key: string | undefined;
  /** There is no access yet; an open tab may still give it. */
  onLocked(wasKeyRefused: boolean): void;
  readonly door?: Door;
  /** How long an open tab may take until the user is told. */
  readonly askMs?: number;
}

/** Resolves when the page is in, which may never be. */
export async function enterPage({ key, onLocked, door = serverDoor, askMs = 1_000 }: EnterOptions): Promise<PageAccess> {
  const held = createHeldCredential();
  const channel = openKeyChannel(held, door);

  async function isHeldGood(): Promise<boolean> {
    const credential = held.read();
    if (credential === undefined) return false;
    // A server that can't be reached has refused nothing: the link goes on trying.
    const isKnown = await door.isKnown(credential).catch(() => true);
    if (!isKnown) held.keep(undefined);
    return isKnown;
  }

  const exchanged = key === undefined ? undefined : await exchange(door, key);
  if (exchanged !== undefined) held.keep(exchanged);
  else if (!(await isHeldGood())) {
    const timer = setTimeout(() => onLocked(key !== undefined), askMs);
    await channel.ask();
    clearTimeout(timer);
  }
  channel.announce();

  return {
    headers: () => toBearer(held.read() ?? ""),
    subprotocols: () => toSubprotocols(held.read() ?? ""),
    async isStillGood() {
      if (await isHeldGood()) return true;
      return Promise.race([channel.ask().then(() => true), new Promise<false>((resolve) => setTimeout(() => resolve(false), askMs))]);
    },
  };
}

const tries = 3;
const pauseMs = 300;

/** Again when no answer came: on a busy server a connection may be closed before the key is heard, or before the answer is. */
async function exchange(door: Door, key: string): Promise<string | undefined> {
  const attempt = crypto.randomUUID();
  for (let count = 1; ; count++) {
    try {
      return await door.exchange(key, attempt);
    } catch {
      if (count === tries) return undefined;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
