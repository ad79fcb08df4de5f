// Which way leads to the agent: a desktop window has Tauri's, a browser has the local server it came from.

import type { OpenPageLink } from "./page-link.ts";
import { createTauriLink } from "./tauri-link.ts";
import { createWebSocketLink } from "./web-socket-link.ts";

export async function chooseLink(): Promise<OpenPageLink> {
  if (isInsideTauri()) {
    const [{ listen }, { invoke }] = await Promise.all([import("@tauri-apps/api/event"), import("@tauri-apps/api/core")]);
    return (events) => createTauriLink({ listen, invoke }, events);
  }
  const url = new URL("/link", location.href);
  url.protocol = "ws:";
  url.hash = "";
  url.search = "";
  return (events) => createWebSocketLink({ url: url.href, ...events });
}

export const isInsideTauri = (): boolean => "__TAURI_INTERNALS__" in globalThis;
