// What carries lines between a host and an agent runtime: a child's pipes, a socket of a page, the events
// of a desktop shell. A link knows no message. It may outlive a runtime: it then says `lost`, and the
// next runtime's `ready` follows.

import type { HawserError } from "@hawser/wire";

/** A line that the link has parsed already. */
export interface ParsedLine {
  readonly value: unknown;
  readonly text: string;
}

/** The runtime has ended and whatever it was asked is lost; another one may follow. */
export interface LostRuntime {
  readonly lost: HawserError;
}

export interface AgentLink {
  /** Takes one request, as JSON without a line feed. A promise that it returns is waited for before the next one. */
  send(line: string): void | Promise<void>;
  /**
   * Everything that arrives, in order: JSON texts, or what they say. Not read further while nobody takes
   * what came. Ends, or throws the reason, when no more will come.
   */
  readonly incoming: AsyncIterable<string | ParsedLine | LostRuntime>;
  /** Called once, when the client is closed. */
  close?(): void;
}
