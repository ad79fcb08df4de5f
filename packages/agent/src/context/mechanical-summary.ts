// A summary without a model: what was said and done, line by line, each shortened, the newest in full. For the offline model,
// and where a model could not write one. Its lines can be read back.

import { cutText, type ConversationMessage, type MessagePart } from "@hawser/protocol/internal";

const lineChars = 300;
const marks = { user: "User: ", assistant: "Agent: ", tool: "Tool: " } as const;

/** `before`: the summary that it continues. */
export function summarizeMechanically(before: string | undefined, messages: readonly ConversationMessage[], maxChars: number): string {
  const lines = [...(before?.split("\n") ?? []).filter((line) => line !== leftOut), ...messages.flatMap(toLines)];
  return fit(lines, maxChars).join("\n");
}

const toLines = ({ role, parts }: ConversationMessage): string[] => parts.flatMap((part) => toLine(role, part));

function toLine(role: "user" | "assistant", part: MessagePart): string[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [marks[role] + inOneLine(part.text)];
    case "steer":
      return [marks.user + inOneLine(part.message)];
    case "attachment":
      return [`${marks.user}[attached: ${inOneLine(part.path)}]`];
    case "tool_use":
      return [`${marks.tool}${part.toolName} ${inOneLine(JSON.stringify(part.input) ?? "")}`];
    case "tool_result":
      return part.isError ? [`${marks.tool}${part.toolName} failed: ${inOneLine(part.error ?? "")}`] : [];
    default:
      return [];
  }
}

const inOneLine = (text: string): string =>
  cutText(
    text
      .slice(0, 4 * lineChars)
      .replaceAll(/\s+/g, " ")
      .trim(),
    lineChars,
  );

const leftOut = "[…]";

/** What tools did goes first, then what the agent said, then the middle of what the user said: facts are told early. */
function fit(lines: readonly string[], maxChars: number): string[] {
  const charsOf = (kept: readonly string[]): number => kept.reduce((sum, line) => sum + line.length + 1, 0);
  let kept = [...lines];
  for (const mark of [marks.tool, marks.assistant]) {
    let excess = charsOf(kept) - maxChars;
    kept = kept.filter((line) => {
      if (excess <= 0 || !line.startsWith(mark)) return true;
      excess -= line.length + 1;
      return false;
    });
  }
  let excess = charsOf(kept) - maxChars;
  if (excess <= 0) return kept;
  const from = Math.floor(kept.length / 2);
  let to = from;
  for (excess += leftOut.length + 1; excess > 0 && to < kept.length; to++) excess -= (kept[to]?.length ?? 0) + 1;
  return [...kept.slice(0, from), leftOut, ...kept.slice(to)].map((line) => cutText(line, maxChars));
}

/** What the user said, as far as such a summary tells it. */
export const saidInSummary = (summary: string): string[] =>
  summary.split("\n").flatMap((line) => (line.startsWith(marks.user) ? [line.slice(marks.user.length)] : []));
