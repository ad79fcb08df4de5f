// Where a new summary ends: as much of the end of a conversation stays as it was said as fits, in whole turns, or within the
// turn that runs in whole rounds of tools. So a use of a tool and its result are never parted.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";
import { askedAt, type Cut } from "./context-view.ts";

export interface CutOptions {
  /** How many tokens may stay as they were said. */
  readonly keepTokens: number;
  /** A turn runs, and may be cut between two of its rounds. */
  readonly mayCutTurn: boolean;
  weigh(part: MessagePart): number;
}

export interface ChosenCut extends Cut {
  /** What the summary newly stands for. */
  readonly covered: readonly ConversationMessage[];
  readonly coveredTokens: number;
}

/** `messages`: as the model is told them now. Undefined where nothing can be left out. */
export function chooseCut(messages: readonly ConversationMessage[], options: CutOptions): ChosenCut | undefined {
  const candidates = [...turnEnds(messages, options), ...(options.mayCutTurn ? roundEnds(messages, options) : [])];
  const whole = messages.reduce((sum, message) => sum + weighParts(message.parts, options), 0);
  // The first that leaves little enough; else the one that leaves least.
  return candidates.find(({ coveredTokens }) => whole - coveredTokens <= options.keepTokens) ?? candidates.at(-1);
}

const weighParts = (parts: readonly MessagePart[], { weigh }: CutOptions): number => parts.reduce((sum, part) => sum + weigh(part), 0);

/** After each answer that another message follows. */
function turnEnds(messages: readonly ConversationMessage[], options: CutOptions): ChosenCut[] {
  let coveredTokens = 0;
  return messages.flatMap((message, at) => {
    coveredTokens += weighParts(message.parts, options);
    if (message.role === "user" || messages[at + 1]?.role !== "user") return [];
    return [{ through: message.messageId, covered: messages.slice(0, at + 1), coveredTokens }];
  });
}

/** Within the answer in the making: after each round of tools but the last one, which the model has not seen yet. */
function roundEnds(messages: readonly ConversationMessage[], options: CutOptions): ChosenCut[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [];
  // What is being answered stays, and is part of what is told to be summarised.
  const before = messages.slice(0, askedAt(messages, messages.length - 1)).reduce((sum, { parts }) => sum + weighParts(parts, options), 0);
  return endsOfRounds(last.parts).map((count) => {
    const parts = last.parts.slice(0, count);
    const covered = [...messages.slice(0, -1), { ...last, parts }];
    return { through: last.messageId, parts: count, covered, coveredTokens: before + weighParts(parts, options) };
  });
}

/** How many parts come before each place where every use has its result and something else follows. */
function endsOfRounds(parts: readonly MessagePart[]): number[] {
  const open = new Set<string>();
  let hasResult = false;
  return parts.flatMap((part, at) => {
    if (part.type === "tool_use") open.add(part.toolId);
    if (part.type === "tool_result") {
      open.delete(part.toolId);
      hasResult = true;
    }
    const next = parts[at + 1];
    if (!hasResult || open.size > 0 || next === undefined || next.type === "tool_result" || next.type === "plan") return [];
    hasResult = false;
    return [at + 1];
  });
}
