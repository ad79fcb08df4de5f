// The address bar: it loses the key as soon as the page has loaded, and names the conversation on the
// screen, so that reload, back and forward lead where they should.

import type { Session } from "./session.ts";

/** The cookie stays; the key is in no history, no bookmark and no screenshot. */
export function removeKey(): void {
  const url = new URL(location.href);
  if (!url.searchParams.has("key")) return;
  url.searchParams.delete("key");
  history.replaceState(null, "", url.pathname + url.search + url.hash);
}

const pattern = /^#\/c\/(.+)$/;

function readConversationId(): string | undefined {
  const [, encoded] = pattern.exec(location.hash) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Keeps both in step: what is opened is named, and what is named is opened. */
export function followAddress({ store, open }: Session): void {
  open(readConversationId());
  const toHash = (): string => `#/c/${encodeURIComponent(store.getState().currentId)}`;
  history.replaceState(null, "", toHash());
  store.subscribe(() => {
    if (toHash() !== location.hash) history.pushState(null, "", toHash());
  });
  addEventListener("popstate", () => {
    const named = readConversationId();
    if (named !== undefined && named !== store.getState().currentId) open(named);
  });
}
