// How a page gets access to its server, and keeps it: by the key in its address, by the credential that this tab
// already holds, or by another tab. Where none of these helps, only a new address does.
//
// A tab without access asks the open tabs of this browser, on a channel that only pages of this very address hear. Each of
// them that has access gets it a key of its own, good for one exchange and a short time.

import { isRecord } from "@hawser/protocol/internal";
import { toSubprotocols } from "../../link/page-frames.ts";
import { createHeldCredential, serverDoor, toBearer, type Door, type HeldCredential } from "./door.ts";

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
  const { ask, announce } = openKeyChannel(held, door);

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
    await ask();
    clearTimeout(timer);
  }
  announce();

  return {
    headers: () => toBearer(held.read() ?? ""),
    subprotocols: () => toSubprotocols(held.read() ?? ""),
    async isStillGood() {
      if (await isHeldGood()) return true;
      return Promise.race([ask().then(() => true), pause(askMs).then(() => false)]);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
      await pause(pauseMs);
    }
  }
}

type ChannelMessage =
  | { readonly kind: "wanted"; readonly from: string }
  | { readonly kind: "key"; readonly to: string; readonly key: string }
  | { readonly kind: "here" };

function openKeyChannel(held: HeldCredential, door: Door) {
  const channel = new BroadcastChannel("hawser-keys");
  const name = crypto.randomUUID();
  const post = (message: ChannelMessage): void => channel.postMessage(message);
  let onLetIn: (() => void) | undefined;
  let isExchanging = false;

  async function giveKey(to: string): Promise<void> {
    const credential = held.read();
    // If the server gives no key now, another tab may.
    const key = credential === undefined ? undefined : await door.newKey(credential).catch(() => undefined);
    if (key !== undefined) post({ kind: "key", to, key });
  }

  async function takeKey(key: string): Promise<void> {
    // Every open tab sends one, and the first that is good is enough.
    if (!onLetIn || isExchanging) return;
    isExchanging = true;
    const credential = await door.exchange(key, crypto.randomUUID()).catch(() => undefined);
    isExchanging = false;
    if (credential === undefined) return;
    held.keep(credential);
    onLetIn();
    onLetIn = undefined;
  }

  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (!isRecord(data)) return;
    const { kind, from, to, key } = data;
    if (kind === "wanted" && typeof from === "string") void giveKey(from);
    if (kind === "key" && to === name && typeof key === "string") void takeKey(key);
    if (kind === "here" && onLetIn) post({ kind: "wanted", from: name });
  });

  return {
    /** Resolves when an open tab has let this one in, however long that takes. */
    ask(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onLetIn = resolve;
      post({ kind: "wanted", from: name });
      return promise;
    },
    /** Tells tabs that wait that they can ask this one. */
    announce: (): void => post({ kind: "here" }),
  };
}
