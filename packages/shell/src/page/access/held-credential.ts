// The page's credential. It is kept for this tab: a reload finds it, another tab, another site and another port do
// not, and no request carries it unless the page says so.

export interface HeldCredential {
  read(): string | undefined;
  keep(credential: string | undefined): void;
}

const storageKey = "hawser-credential";

export function createHeldCredential(): HeldCredential {
  const kept = attempt(() => sessionStorage.getItem(storageKey)) ?? "";
  // Another program may have had this port, and left something else under this name.
  let current = /^[\w-]+$/.test(kept) ? kept : undefined;
  return {
    read: () => current,
    keep(credential) {
      current = credential;
      attempt(() => (credential === undefined ? sessionStorage.removeItem(storageKey) : sessionStorage.setItem(storageKey, credential)));
    },
  };
}

/** A browser may keep nothing; a reload then needs another tab, or a new address. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
