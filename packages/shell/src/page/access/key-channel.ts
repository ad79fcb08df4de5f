// How a tab without access gets in: it asks the open tabs of this browser, on a channel that only pages of this
// very address hear. Each of them that has access gets it a key of its own, good for one exchange and a short time.

import { isRecord } from "@hawser/protocol/internal";
import type { Door, HeldCredential } from "./door.ts";

export interface KeyChannel {
  /** Resolves when an open tab has let this one in, however long that takes. */
  ask(): Promise<void>;
  /** Tells tabs that wait that they can ask this one. */
  announce(): void;
}

type Message =
  | { readonly kind: "wanted"; readonly from: string }
  | { readonly kind: "key"; readonly to: string; readonly key: string }
  | { readonly kind: "here" };

export function openKeyChannel(held: HeldCredential, door: Door): KeyChannel {
  const channel = new BroadcastChannel("hawser-keys");
  const name = crypto.randomUUID();
  const post = (message: Message): void => channel.postMessage(message);
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
    ask() {
      const { promise, resolve } = Promise.withResolvers<void>();
      onLetIn = resolve;
      post({ kind: "wanted", from: name });
      return promise;
    },
    announce: () => post({ kind: "here" }),
  };
}
