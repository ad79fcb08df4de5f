// Makes room in a model's context: writes a summary that stands for the beginning of the conversation, and appends it to the
// history. Nothing of the history is changed: until that one record is written, everything is as it was.

import { toHawserError, type CompactionData } from "@hawser/protocol/internal";
import type { Conversation } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";
import type { Model, ModelStep } from "../model/model.ts";
import { chooseCut, type ChosenCut } from "./choose-cut.ts";
import { messagesAfter, toContextView } from "./context-view.ts";
import { partTokensOf, toTokens, type TokenCount } from "./estimate-tokens.ts";
import { summarizeMechanically } from "./mechanical-summary.ts";
import { writeSummary, type SummaryPrompt } from "./summarize.ts";

export interface CompactOptions {
  readonly conversation: Conversation;
  readonly model: Pick<Model, "name" | "isTurnWhole" | "writesSummaries">;
  /** How many tokens its context holds, where that is known. */
  readonly window: number | undefined;
  readonly count: TokenCount;
  /** What every request tells besides the conversation. */
  readonly request: Pick<ModelStep, "instructions" | "attachments" | "tools">;
  /** The context is nearly full, was too full, or the user asks for it. */
  readonly reason: "near" | "overflow" | "asked";
  /** One request to the model, without tools; its text. */
  ask(prompt: SummaryPrompt): Promise<string>;
  notice(message: string): Promise<void>;
}

/** Undefined where there is nothing to leave out, or too little to be worth a request. */
export async function compactConversation(options: CompactOptions): Promise<CompactionData | undefined> {
  const { conversation, window, count, request, reason } = options;
  const view = toContextView(conversation);
  const tokensBefore = count.estimate({ ...request, ...view });
  const room = window ?? tokensBefore;
  const { compactKeepPercent, compactGainPercent, summaryTokens } = agentLimits;
  const keepTokens = percentOf(room, reason === "overflow" ? compactKeepPercent / 2 : compactKeepPercent);
  const mayCutTurn = reason !== "asked" && options.model.isTurnWhole !== true;
  const weigh = (part: Parameters<typeof partTokensOf>[0]): number => count.scale(partTokensOf(part) + attachedTokens(part, request));
  const cut = chooseCut(view.messages, { keepTokens, mayCutTurn, weigh });
  if (!cut || (reason === "near" && cut.coveredTokens < percentOf(room, compactGainPercent))) return undefined;
  const maxTokens = Math.max(leastSummaryTokens, Math.min(summaryTokens, percentOf(room, compactKeepPercent / 2)));
  const text = await toSummary(options, { cut, before: view.summary, maxTokens, room });
  const before = conversation.summaries.at(-1);
  const parts = cut.parts === undefined ? undefined : cut.parts + (before?.through === cut.through ? (before.parts ?? 0) : 0);
  const messages = conversation.messages.findLastIndex(({ messageId }) => messageId === cut.through) + (parts === undefined ? 1 : 0);
  const tokensAfter = count.estimate({ ...request, summary: text, messages: messagesAfter(view.messages, cut) });
  const counts = { messages, tokensBefore, tokensAfter };
  await conversation.addSummary({ through: cut.through, ...(parts !== undefined && { parts }), text, ...counts, timestamp: Date.now() });
  return { conversationId: conversation.conversationId, ...counts };
}

const leastSummaryTokens = 100;

const percentOf = (tokens: number, percent: number): number => Math.floor((tokens * percent) / 100);

function attachedTokens(part: Parameters<typeof partTokensOf>[0], { attachments }: CompactOptions["request"]): number {
  const content = part.type === "attachment" ? attachments.get(part.path)?.content : undefined;
  return typeof content === "string" ? toTokens(content) : 0;
}

interface Wanted {
  readonly cut: ChosenCut;
  readonly before: string | undefined;
  readonly maxTokens: number;
  readonly room: number;
}

const summaryCharsPerToken = 4;

/** By the model; line by line where it can't write one. What would fail the next step as well is thrown. */
async function toSummary({ model, reason, ask, notice }: CompactOptions, { cut, before, maxTokens, room }: Wanted): Promise<string> {
  const mechanical = (): string => summarizeMechanically(before, cut.covered, maxTokens * summaryCharsPerToken);
  if (model.writesSummaries === false) return mechanical();
  // Where the size is only guessed by what was refused, a request has to be much smaller than that.
  const requestTokens = Math.max(leastRequestTokens, percentOf(room, reason === "overflow" ? 25 : 50) - maxTokens);
  try {
    const text = await writeSummary({ before, messages: cut.covered, maxTokens, requestTokens, ask });
    if (text !== "") return text;
    await notice(`${model.name} wrote an empty summary; a list of what was said stands in its place`);
  } catch (thrown) {
    const error = toHawserError(thrown);
    if (error.code !== "model_failed" && error.code !== "too_large") throw error;
    await notice(`${model.name} could not write a summary, so a list of what was said stands in its place: ${error.message}`);
  }
  return mechanical();
}

const leastRequestTokens = 500;
