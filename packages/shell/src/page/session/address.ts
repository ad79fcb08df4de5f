// The address bar: it loses the key before anything else happens, and names the conversation on the screen, so
// that reload, back and forward lead where they should.

import { orUndefined } from "../../or-undefined.ts";
import type { Session } from "./session.ts";

const keyPattern = /^#key=([\w-]+)$/;

/** The key of a printed address; from now on it is in no bookmark, no screenshot and no entry of this tab's history. */
export function takeKey(): string | undefined {
  const [, key] = keyPattern.exec(location.hash) ?? [];
  if (key !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return key;
}

/** A new address in the tab of an old one changes only the fragment, which does not load the page again. */
export function reloadForKeys(): void {
  addEventListener("hashchange", () => (keyPattern.test(location.hash) ? location.reload() : undefined));
}

const pattern = /^#\/c\/(.+)$/;

function readConversationId(): string | undefined {
  const [, encoded] = pattern.exec(location.hash) ?? [];
  return encoded === undefined ? undefined : orUndefined(() => decodeURIComponent(encoded));
}

/** Keeps both in step: what is opened is named, and what is named is opened. */
export function followAddress({ store, open }: Session): void {
  open(readConversationId());
  const toHash = (): string => `#/c/${encodeURIComponent(store.getState().currentId)}`;
  history.replaceState(null, "", toHash());
  store.subscribe(() => {
    // A key that has just been put there is about to be taken, and must not stay behind in the history.
    if (toHash() !== location.hash && !keyPattern.test(location.hash)) history.pushState(null, "", toHash());
  });
  addEventListener("popstate", () => {
    const named = readConversationId();
    if (named !== undefined && named !== store.getState().currentId) open(named);
  });
}
