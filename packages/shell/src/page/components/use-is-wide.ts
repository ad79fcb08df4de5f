// Whether there is room for more than one column.

import { useSyncExternalStore } from "react";

const query = "(min-width: 48rem)";

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches);
