// Closes what a killed process left open: a use of a tool without a result gets one that says so, since no model's
// API takes a history without it, and an answer without an end gets a reason for it.
// The same journal always gives the same repair.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";

const toolEnded = "the process ended before the tool did";
const answerEnded = "the process ended before the answer did";

type ToolUse = Extract<MessagePart, { type: "tool_use" }>;

/** The message itself when nothing is missing. */
export function repairAnswer(message: ConversationMessage, isComplete: boolean): ConversationMessage {
  const parts = withAllResults(message.parts);
  const isEnded = isComplete || message.role === "user" || message.interrupted !== undefined;
  if (isEnded && parts.length === message.parts.length) return message;
  return { ...message, parts, ...(!isEnded && { interrupted: answerEnded }) };
}

/** A missing result goes to the end of its step, where the others are: before the next thing that is said or done. */
function withAllResults(parts: readonly MessagePart[]): MessagePart[] {
  const results = countResults(parts);
  const repaired: MessagePart[] = [];
  let missing: ToolUse[] = [];
  let hadResult = false;
  const addMissing = (): void => {
    for (const use of missing) repaired.push(toLostResult(use));
    missing = [];
  };
  for (const part of parts) {
    const isResult = part.type === "tool_result";
    if (hadResult && !isResult) addMissing();
    hadResult = isResult;
    if (part.type === "tool_use") {
      const left = results.get(part.toolId) ?? 0;
      if (left === 0) missing.push(part);
      else results.set(part.toolId, left - 1);
    }
    repaired.push(part);
  }
  addMissing();
  return repaired;
}

function countResults(parts: readonly MessagePart[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const part of parts) if (part.type === "tool_result") counts.set(part.toolId, (counts.get(part.toolId) ?? 0) + 1);
  return counts;
}

const toLostResult = ({ toolId, toolName }: ToolUse): MessagePart => ({
  type: "tool_result",
  toolId,
  toolName,
  result: null,
  isError: true,
  error: toolEnded,
});
