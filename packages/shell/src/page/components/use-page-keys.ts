// Listens for the keys of the page, wherever the focus is. A dialog has its own keys, and the page's rest.

import { useEffect } from "react";
import { usePageParts, type PageParts } from "../session/page-context.ts";
import { answerEvent, jumpEvent, pageKeys, type KeyAction } from "./keys.ts";

export type SwitchActions = Readonly<Record<"wire" | "theme" | "keys" | "sidebar", () => void>> & { readonly settings?: () => void };

export function usePageKeys(switches: SwitchActions): void {
  const parts = usePageParts();
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const key = pageKeys.find((candidate) => candidate.matches(event) && (!candidate.isOfDesktop || parts.desktop));
      if (!key) return;
      // Escape also leaves a search field or a list of choices; it is not taken from them.
      if (key.action !== "stop") event.preventDefault();
      run(key.action, parts, switches);
    }
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}

function run(action: KeyAction, { session, actions, desktop }: PageParts, switches: SwitchActions): void {
  switch (action) {
    case "new":
      session.open();
      return;
    case "search":
      focusOn("conversation-search", switches.sidebar);
      return;
    case "message":
      focusOn("message-box");
      return;
    case "latest":
      dispatchEvent(new Event(jumpEvent));
      return;
    case "allow":
    case "deny":
      dispatchEvent(new CustomEvent(answerEvent, { detail: action }));
      return;
    case "previous":
      openNeighbour(session, -1);
      return;
    case "next":
      openNeighbour(session, 1);
      return;
    case "stop":
      actions.stop();
      return;
    case "quit":
      void desktop?.quit();
      return;
    case "settings":
      switches.settings?.();
      return;
    case "wire":
    case "theme":
    case "keys":
    case "sidebar":
      switches[action]();
  }
}

/** What is in a closed drawer is there after it has opened. */
function focusOn(id: string, reveal?: () => void): void {
  const element = document.querySelector<HTMLElement>(`#${id}`);
  if (element) element.focus();
  else if (reveal) {
    reveal();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${id}`)?.focus());
  }
}

function openNeighbour(session: PageParts["session"], step: number): void {
  const { conversations, currentId } = session.store.getState();
  const at = conversations.findIndex(({ conversationId }) => conversationId === currentId);
  const neighbour = conversations[at < 0 ? 0 : at + step];
  if (neighbour) session.open(neighbour.conversationId);
}
