// Which conversation a chat is about, and how conversations are shown.

import type { LoadedConversation, SpawnedAgent } from "@hawser/agent/host";
import { cutText, HawserError, joinTexts, newTimedId, revealProse, type ConversationSummary } from "@hawser/protocol/internal";
import { fitLine, paint, printStyled, printTo } from "../command-line/output.ts";
import { commandName } from "../command-line/launcher.ts";
import type { ChatFlags } from "./run.ts";

/** A new one unless one is named, or the latest is wanted. */
export async function chooseConversation(agent: SpawnedAgent, flags: Pick<ChatFlags, "conversation" | "continue">): Promise<string> {
  if (flags.conversation !== undefined) return flags.conversation;
  if (!flags.continue) return newTimedId("chat", 4);
  const [latest] = await agent.listConversations();
  if (!latest) throw new HawserError("usage", "there is no conversation to continue; begin one with: hawser chat");
  return latest.conversationId;
}

const maxTitleChars = 60;
const maxIdChars = 80;

export async function printConversations(agent: SpawnedAgent, isJson: boolean): Promise<void> {
  const conversations = await agent.listConversations();
  if (isJson) return printTo(process.stdout, conversations.map((each) => `${JSON.stringify(each)}\n`).join(""));
  if (conversations.length === 0) return printTo(process.stderr, "hawser: there are no conversations yet; begin one with: hawser chat\n");
  printStyled(process.stdout, showSummaries(conversations).join(""));
}

function showSummaries(conversations: readonly ConversationSummary[]): string[] {
  const ids = conversations.map(({ conversationId }) => fitLine(conversationId, maxIdChars));
  const counts = conversations.map(({ messages }) => `${messages} messages`);
  const idWidth = widest(ids);
  const countWidth = widest(counts);
  return conversations.map(({ title, updatedAt }, index) => {
    const [id = "", count = ""] = [ids[index], counts[index]];
    const day = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
    const gap = " ".repeat(idWidth - id.length);
    return `${paint("bold", id)}${gap}  ${day}  ${count.padStart(countWidth)}  ${fitLine(title, maxTitleChars)}\n`;
  });
}

const widest = (texts: readonly string[]): number => texts.reduce((width, text) => Math.max(width, text.length), 0);

const shownConversations = 20;

/** The latest ones, with a mark at the current one. */
export function showLatest(conversations: readonly ConversationSummary[], currentId: string): string {
  if (conversations.length === 0) return paint("dim", "There are no conversations yet.\n");
  const latest = conversations.slice(0, shownConversations);
  const marks = latest.map(({ conversationId }) => (conversationId === currentId ? paint("green", "*") : " "));
  const rows = showSummaries(latest).map((line, index) => `${marks[index] ?? " "} ${line}`);
  const left = conversations.length - rows.length;
  const more = left > 0 ? `  … ${left} more: ${commandName()} chat --list\n` : "";
  return rows.join("") + paint("dim", `${more}  To continue one: ${commandName()} chat --conversation <id>\n`);
}

const shownMessages = 4;
const maxShownChars = 1_000;

/** The end of a conversation that is continued. */
export function showConversation({ title, messages }: LoadedConversation): string {
  if (messages.length === 0) return "";
  const lines = messages.slice(-shownMessages).map(({ role, parts }) => {
    const text = joinTexts(parts.map((part) => (part.type === "text" ? part.text : undefined)));
    return `${paint("bold", role === "user" ? ">" : "·")} ${revealProse(cutText(text, maxShownChars)).trim()}\n`;
  });
  return paint("dim", `Continues "${fitLine(title, maxTitleChars)}", ${messages.length} messages.\n`) + lines.join("");
}
