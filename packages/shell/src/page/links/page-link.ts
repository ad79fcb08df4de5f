// The way from the page to an agent, whichever it is: it moves lines, and says how it is.

import type { AgentLink, ParsedLine } from "@hawser/agent/host/link";
import { parseJsonText } from "@hawser/wire/internal";
import type { LinkState } from "../state/page-state.ts";

export interface PageLink extends AgentLink {
  /** Tries again at once, when it waits to do so. */
  retry(): void;
}

export interface PageLinkEvents {
  /** A request that another tab has sent; its answers come over this link too. */
  onOverheard(line: ParsedLine): void;
  onState(state: LinkState): void;
}

export type OpenPageLink = (events: PageLinkEvents) => PageLink;

/** A line that isn't JSON is its own value: the wire view shows it. */
export function parseLine(text: string): ParsedLine {
  try {
    return { value: parseJsonText(text), text };
  } catch {
    return { value: text, text };
  }
}
