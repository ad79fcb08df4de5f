// What is said to the command line. It takes one message of a user and no answers of an assistant, so a
// conversation of several messages becomes one text that marks who said what; its last message stands
// behind it, by itself.

import { HawserError } from "@hawser/protocol";
import type { AgentUserMessage } from "./agent-sdk.ts";

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A text, or a conversation that ends with what the user says now. */
export type RequestPrompt = string | readonly PromptMessage[];

export interface PreparedPrompt {
  /** Instructions that came with the conversation. */
  readonly system: string | undefined;
  /** Blocks of the Messages API. */
  readonly blocks: readonly object[];
}

export interface Utterance {
  readonly speaker: string;
  readonly text: string;
}

export function prepareRequestPrompt(prompt: RequestPrompt): PreparedPrompt {
  if (typeof prompt === "string") {
    if (prompt.trim() === "") throw new HawserError("usage", "the prompt is empty; say something");
    return { system: undefined, blocks: [textBlock(prompt)] };
  }
  const system = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
  const said = prompt.filter(({ role }) => role !== "system");
  const last = said.at(-1);
  if (last?.role !== "user") throw new HawserError("usage", "the last message of a conversation must be the user's");
  const earlier = said.slice(0, -1).map(({ role, content }) => ({ speaker: role, text: content }));
  return { system: joinInstructions(...system), blocks: [...conversationBlocks(earlier), textBlock(last.content)] };
}

/** None for a conversation that only begins. */
export function conversationBlocks(earlier: readonly Utterance[]): object[] {
  if (earlier.length === 0) return [];
  const lines = earlier.map(({ speaker, text }) => `[${speaker}]\n${text}`);
  const opening = "The conversation so far, oldest first. Go on with the message that follows it; do not repeat what was said.";
  return [textBlock(`${opening}\n\n<conversation>\n${lines.join("\n\n")}\n</conversation>`)];
}

/** Instructions as one text; undefined where there are none. */
export function joinInstructions(...parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
}

export const textBlock = (text: string): { type: "text"; text: string } => ({ type: "text", text: text.toWellFormed() });

/** Text alone goes as text: then the command line ends after its answer, without a second channel. */
export function toQueryPrompt({ blocks }: PreparedPrompt): string | AsyncIterable<AgentUserMessage> {
  const texts = blocks.map((block) => (block as { type?: unknown; text?: unknown }).text);
  if (texts.every((text) => typeof text === "string")) return texts.join("\n\n");
  return oneMessage(blocks);
}

async function* oneMessage(content: readonly object[]): AsyncGenerator<AgentUserMessage> {
  yield await Promise.resolve({ type: "user", message: { role: "user", content }, parent_tool_use_id: null } as const);
}
