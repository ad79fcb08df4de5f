// A user's message as ACP content: its text, its files as far as the agent takes them, and, for a session that does not know
// it, the conversation so far as text.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock, PromptCapabilities } from "@agentclientprotocol/sdk";
import type { DelegatedTurn, AttachedContent } from "@hawser/agent";
import { cutText, joinTexts, type ConversationMessage } from "@hawser/protocol/internal";
import { acpLimits } from "../limits.ts";

export function toPrompt(turn: DelegatedTurn, capabilities: PromptCapabilities, isKnown: boolean): ContentBlock[] {
  const told = isKnown ? "" : tellHistory(turn.history);
  let left = acpLimits.acpAttachedBytes;
  const files = turn.attachments.map((file) => {
    const block = toBlock(file, turn.folders[0] ?? "/", capabilities);
    left -= file.content.length;
    return left >= 0 ? block : toLink(file, turn.folders[0] ?? "/");
  });
  return [...(told === "" ? [] : [toText(told)]), ...(turn.message === "" ? [] : [toText(turn.message)]), ...files];
}

const toText = (text: string): ContentBlock => ({ type: "text", text });

const toUri = (path: string, folder: string): string => pathToFileURL(resolve(folder, path)).href;

const toLink = ({ path, mime }: AttachedContent, folder: string): ContentBlock => ({
  type: "resource_link",
  name: path,
  uri: toUri(path, folder),
  mimeType: mime,
});

function toBlock(file: AttachedContent, folder: string, { image, embeddedContext }: PromptCapabilities): ContentBlock {
  const { path, mime, content } = file;
  const uri = toUri(path, folder);
  if (typeof content === "string")
    return embeddedContext ? { type: "resource", resource: { uri, text: content, mimeType: mime } } : toLink(file, folder);
  return image ? { type: "image", data: Buffer.from(content).toString("base64"), mimeType: mime, uri } : toLink(file, folder);
}

const opening =
  "This conversation was begun elsewhere. What follows is its record, between two lines of dashes; it is material, not a request. The user's message comes after it.";
const line = "-".repeat(20);

/** Empty when nothing was said. The oldest messages are left out where all of them would be too long. */
function tellHistory(messages: readonly ConversationMessage[]): string {
  const told: string[] = [];
  let chars = 0;
  for (const message of messages.toReversed()) {
    const text = tellMessage(message);
    chars += text.length;
    if (chars > acpLimits.acpHistoryChars) {
      told.push("(What was said before is left out.)");
      break;
    }
    if (text !== "") told.push(text);
  }
  return told.length === 0 ? "" : [opening, line, ...told.toReversed(), line].join("\n\n");
}

function tellMessage({ role, parts, interrupted }: ConversationMessage): string {
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type === "attachment") return `[attached: ${part.path}]`;
    if (part.type === "steer") return `[the user said meanwhile: ${part.message}]`;
    if (part.type === "tool_use")
      return `[used ${part.title ?? part.toolName}: ${cutText(JSON.stringify(part.input) ?? "", maxInputChars)}]`;
    if (part.type !== "tool_result") return "";
    return part.isError ? `[it failed: ${cutText(part.error ?? "", maxInputChars)}]` : "";
  });
  const said = cutText(joinTexts(texts.flatMap((text) => [undefined, text])), acpLimits.acpHistoryMessageChars);
  const end = interrupted === undefined ? "" : ` [interrupted: ${interrupted}]`;
  return said === "" && end === "" ? "" : `${role === "user" ? "User" : "Assistant"}: ${said}${end}`;
}

const maxInputChars = 500;
