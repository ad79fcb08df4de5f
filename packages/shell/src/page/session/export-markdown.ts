// A conversation as a Markdown file: who said what, and which tools were used, in order. What tools returned is left out, since it
// may be anything and of any size.

import { reveal } from "@hawser/protocol";
import type { Message, Part, Thread } from "../state/page-state.ts";

export function toMarkdown(
  { title, messages }: Pick<Thread, "title" | "messages">,
  describe: (part: Part & { kind: "tool" }) => string,
): string {
  const sections = messages.map(
    (message) => `## ${headingOf(message)}\n\n${message.parts.map((part) => partOf(part, describe)).join("\n\n")}`,
  );
  return `# ${oneLine(title) || "Conversation"}\n\n${sections.map(endWith).join("\n\n")}\n`;
}

const headingOf = ({ role, model }: Message): string =>
  role === "user" ? "You" : `Agent${model === undefined ? "" : ` (${oneLine(model)})`}`;

function partOf(part: Part, describe: (part: Part & { kind: "tool" }) => string): string {
  switch (part.kind) {
    case "text":
      return part.text.trim();
    case "steer":
      return quote(`You, meanwhile: ${part.text.trim()}`);
    case "thought":
      return quote(part.text.trim());
    case "plan":
      return part.entries.map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${oneLine(content)}`).join("\n");
    case "attachment":
      return `Attached: ${inCode(part.path)}`;
    case "summary":
      // All that it stands for is there.
      return "";
    default:
      return quote(
        `Tool ${inCode(describe(part))}${part.state === "done" ? "" : `, ${part.state}`}${part.error === undefined ? "" : `\n${part.error}`}`,
      );
  }
}

const quote = (text: string): string => text.replaceAll(/^/gm, "> ");
const oneLine = (text: string): string => reveal(text).replaceAll(/\s+/g, " ").trim();
const endWith = (section: string): string => section.trimEnd();

/** With a fence that is longer than any inside. */
function inCode(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

/** A name that every file system takes. */
export const fileNameOf = (title: string): string =>
  `${
    oneLine(title)
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60)
      .toLowerCase() || "conversation"
  }.md`;

export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
