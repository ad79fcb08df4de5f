// Which way leads to the agent: a desktop window has Tauri's, a browser has the local server it came from, to
// which it first has to get access.

import { enterPage } from "../access/enter-page.ts";
import { reloadForKeys, takeKey } from "../session/address.ts";
import type { PageParts } from "../session/page-context.ts";
import { createDesktop } from "./desktop.ts";
import { createDesktopFiles, createServerFiles } from "./kept-files.ts";
import type { OpenPageLink } from "./page-link.ts";
import { createTauriLink } from "./tauri-link.ts";
import { createWebSocketLink } from "./web-socket-link.ts";

export interface ChosenLink extends Pick<PageParts, "files" | "desktop"> {
  readonly openLink: OpenPageLink;
}

/** Resolves when there is access; until then it may call back. */
export async function chooseLink(onLocked: (wasKeyRefused: boolean) => void): Promise<ChosenLink> {
  if ("__TAURI_INTERNALS__" in globalThis) {
    const [{ listen }, { invoke }] = await Promise.all([import("@tauri-apps/api/event"), import("@tauri-apps/api/core")]);
    return {
      openLink: (events) => createTauriLink({ listen, invoke }, events),
      files: createDesktopFiles({ invoke }),
      desktop: createDesktop({ invoke }),
    };
  }
  reloadForKeys();
  const access = await enterPage({ key: takeKey(), onLocked });
  const url = `ws://${location.host}/link`;
  return { openLink: (events) => createWebSocketLink({ url, access, ...events }), files: createServerFiles(access) };
}
