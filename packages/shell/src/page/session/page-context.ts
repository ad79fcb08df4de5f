// How components reach the session, and read the part of the state that they draw.

import { createContext, use, useSyncExternalStore } from "react";
import { HawserError } from "@hawser/protocol";
import type { Desktop } from "../links/desktop.ts";
import type { KeptFiles } from "../links/kept-files.ts";
import { isConnected, type PageState } from "../state/page-state.ts";
import type { Actions } from "./actions.ts";
import type { Session } from "./session.ts";

export interface PageParts {
  readonly session: Session;
  readonly actions: Actions;
  readonly files: KeptFiles;
  /** In a desktop window only. */
  readonly desktop?: Desktop | undefined;
}

export const PageContext = createContext<PageParts | undefined>(undefined);

export function usePageParts(): PageParts {
  const parts = use(PageContext);
  if (!parts) throw new HawserError("internal", "a component was drawn outside the page");
  return parts;
}

/** Drawn again when what is selected changes; it must be a part of the state, not made anew. */
export function usePage<Selected>(select: (state: PageState) => Selected): Selected {
  const { store } = usePageParts().session;
  return useSyncExternalStore(store.subscribe, () => select(store.getState()));
}

/** Whether the runtime keeps settings that a page can change. */
export const useHasSettings = (): boolean => usePage(({ runtime }) => runtime?.info.capabilities.includes("settings") ?? false);

export const useIsConnected = (): boolean => usePage(isConnected);
