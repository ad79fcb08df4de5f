// What a fork of a conversation begins with: its messages up to one of them, its folders, and a title that tells it from the other.
// What is still being made, what waits, and an agent's session stay with the original.

import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { toShownId } from "./conversation-files.ts";
import { dropSteers } from "./held-steers.ts";
import { applyRecord, copyTranscript, nothingUsed, summaryOf, type Transcript } from "./transcript.ts";

/** `after`: the last message that is taken; the last complete answer unless given. */
export function toFork(original: Transcript, after: string | undefined): Transcript {
  const last = lastTaken(original, after);
  const fork: Transcript = { ...copyTranscript(original), agentSession: undefined };
  dropSteers(fork, () => true);
  applyRecord(fork, { type: "truncate", after: last }, 0);
  return { ...fork, title: toForkTitle(summaryOf(original).title), isTitleSuggested: false, used: nothingUsed, updatedAt: Date.now() };
}

function lastTaken({ entries }: Transcript, after: string | undefined): string {
  const isMeant = ({ message, isComplete }: Transcript["entries"][number]): boolean =>
    after === undefined ? isComplete && message.role === "assistant" : message.messageId === after;
  const found = entries.findLast(isMeant);
  if (found?.isComplete) return found.message.messageId;
  const refuse = (problem: string): HawserError => new HawserError("invalid_message", problem);
  if (found)
    throw refuse(`message ${toShownId(found.message.messageId)} is still being made; wait for its end, or fork after an earlier one`);
  if (after === undefined) throw refuse("there is nothing to fork yet: the conversation has no complete answer");
  throw refuse(`the conversation has no message ${toShownId(after)}; load it to see its messages`);
}

/** "Harbour plans (fork)", and of that one "Harbour plans (fork 2)". */
function toForkTitle(title: string): string {
  const [, base = "", , count = "1"] = /^(.*?)( \(fork(?: (\d{1,6}))?\))?$/s.exec(title) ?? [];
  const hint = base === title ? " (fork)" : ` (fork ${Number(count) + 1})`;
  const room = agentLimits.conversationTitleChars - hint.length;
  const characters = Array.from(base);
  const shown =
    characters.length <= room
      ? base
      : `${characters
          .slice(0, room - 1)
          .join("")
          .trimEnd()}…`;
  return (shown + hint).trim();
}
