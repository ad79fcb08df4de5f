// The way from the page to an agent, whichever it is: it moves lines, and says how it is. Lines are told to
// the page as they pass, before the client sees them, so that the screen and the wire view miss none.

import type { AgentLink } from "@hawser/agent/host/link";
import type { LinkState } from "../state/page-state.ts";

export interface PassedLine {
  readonly direction: "sent" | "received" | "other_tab";
  readonly value: unknown;
  readonly chars: number;
}

export interface PageLinkEvents {
  onLine(line: PassedLine): void;
  onState(state: LinkState): void;
}

export interface PageLink extends AgentLink {
  /** Tries again at once, when it waits to do so. */
  retry(): void;
}

export type OpenPageLink = (events: PageLinkEvents) => PageLink;
