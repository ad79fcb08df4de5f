// Which way leads to the agent: a desktop window has Tauri's, a browser has the local server it came from.

import { createDesktop, type Desktop } from "./desktop.ts";
import { createDesktopFiles, createServerFiles, type KeptFiles } from "./kept-files.ts";
import type { OpenPageLink } from "./page-link.ts";
import { createTauriLink } from "./tauri-link.ts";
import { createWebSocketLink } from "./web-socket-link.ts";

export interface ChosenLink {
  readonly openLink: OpenPageLink;
  readonly files: KeptFiles;
  /** What only a desktop window offers. */
  readonly desktop?: Desktop;
}

export async function chooseLink(): Promise<ChosenLink> {
  if (isInsideTauri()) {
    const [{ listen }, { invoke }] = await Promise.all([import("@tauri-apps/api/event"), import("@tauri-apps/api/core")]);
    return {
      openLink: (events) => createTauriLink({ listen, invoke }, events),
      files: createDesktopFiles({ invoke }),
      desktop: createDesktop({ invoke }),
    };
  }
  const url = new URL("/link", location.href);
  url.protocol = "ws:";
  url.hash = "";
  url.search = "";
  return { openLink: (events) => createWebSocketLink({ url: url.href, ...events }), files: createServerFiles() };
}

const isInsideTauri = (): boolean => "__TAURI_INTERNALS__" in globalThis;
