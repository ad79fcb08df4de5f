// One scenario under way: the session, and a line for each of its connections. The nameless line is the subject's own input and
// output; `connect` adds others.

import { HawserError } from "@hawser/protocol";
import { lengthPrefix, ndjson, type Codec } from "@hawser/wire/node";
import { createDialectWatch, type DialectWatch } from "./dialect-watch.ts";
import type { MatchContext } from "./matchers.ts";
import { findMismatch } from "./pattern.ts";
import { createReceiver, type Arrival, type Receiver } from "./receiver.ts";
import type { Suite } from "./scenario.ts";
import type { Channel, Session } from "./subject.ts";

export interface Line {
  readonly channel: Channel;
  readonly receiver: Receiver;
  readonly watch?: DialectWatch | undefined;
  /** The last message that was expected, to recognize a second copy of it. */
  lastText?: string;
}

export interface Conversation {
  readonly suite: Suite;
  readonly codec: Codec;
  readonly session: Session;
  readonly lines: Map<string, Line>;
  readonly bindings: Map<string, unknown>;
  readonly timeoutMs: number;
  /** What was written last, oldest first, for the report of a failure. */
  readonly sent: Buffer[];
  /** What the subject said that its protocol never allows. */
  readonly faults: string[];
}

const maxKeptSent = 3;

export function noteSent({ sent }: Conversation, { watch }: Line, bytes: Buffer): void {
  watch?.sent(bytes);
  sent.push(bytes);
  if (sent.length > maxKeptSent) sent.shift();
}

const main = "";

export function startConversation(suite: Suite, session: Session, timeoutMs: number): Conversation {
  const codec = suite.codec === "ndjson" ? ndjson : lengthPrefix;
  const bindings = new Map(Object.entries(session.given ?? {}));
  const conversation: Conversation = { suite, codec, session, lines: new Map(), bindings, timeoutMs, sent: [], faults: [] };
  addLine(conversation, main, session);
  return conversation;
}

export function addLine({ suite, codec, lines, faults }: Conversation, name: string, channel: Channel): void {
  // A subject may be gone at any moment; the step that writes reports it.
  channel.input.on("error", () => {});
  const watch = suite.dialect && createDialectWatch(suite.dialect, faults);
  const { maxMessageBytes } = suite;
  lines.set(name, { channel, receiver: createReceiver(channel.output, codec, { maxMessageBytes, onMessage: watch?.received }), watch });
}

export function lineOf({ lines }: Conversation, step: object): Line {
  const name = (step as { on?: string }).on ?? main;
  const line = lines.get(name);
  if (!line) throw new HawserError("usage", `there is no connection "${name}" yet`);
  return line;
}

/** What comes next on the line, without the messages that mean nothing in this suite. */
export async function nextOn(line: Line, conversation: Conversation, timeoutMs: number): Promise<Arrival> {
  const { suite } = conversation;
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    const arrival = await line.receiver.next(timeLeft(endsAt));
    const isSkipped =
      arrival.kind === "message" &&
      suite.skipping !== undefined &&
      findMismatch(suite.skipping, arrival.value, contextOf(conversation, arrival.text)) === undefined;
    if (!isSkipped) return arrival;
    if (performance.now() > endsAt) return { kind: "silence" };
  }
}

export const contextOf = ({ bindings }: Conversation, text = "", index = 0): MatchContext => ({ bindings, index, text });

export const timeLeft = (endsAt: number): number => Math.max(endsAt - performance.now(), 1);
