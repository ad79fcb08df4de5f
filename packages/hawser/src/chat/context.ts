// `/compact`, `/plan`, and the line that says how full the model's context is.

import type { CompactionData, UsageData } from "@hawser/protocol";
import { paint } from "../command-line/output.ts";
import type { Session } from "./conversation-loop.ts";
import { showPlan, terminal } from "./tool-card.ts";

export async function runCompact({ agent, conversationId }: Session): Promise<string> {
  return `${paint("dim", showCompaction(await agent.compactConversation(conversationId)))}\n`;
}

export const showCompaction = ({ messages, tokensBefore, tokensAfter }: CompactionData): string =>
  `A summary stands for ${messages} earlier messages in the model's context: about ${tokensBefore} tokens before, ${tokensAfter} now.`;

/** The latest one. */
export async function runPlan({ agent, conversationId }: Session): Promise<string> {
  const { messages } = await agent.loadConversation(conversationId, { include: ["plan"] });
  const plan = messages.flatMap(({ parts }) => parts).findLast((part) => part.type === "plan");
  return plan && plan.entries.length > 0 ? showPlan(plan, terminal) : paint("dim", "There is no plan in this conversation.\n");
}

const cells = 10;

/** Undefined where the size of the context is not known. */
export function toMeter({ contextTokens, contextWindow }: UsageData): string | undefined {
  if (contextTokens === undefined || contextWindow === undefined) return undefined;
  const share = Math.min(1, contextTokens / contextWindow);
  const full = Math.round(share * cells);
  return `context ${"■".repeat(full)}${"□".repeat(cells - full)} ${Math.round(share * 100)} % of ${contextWindow} tokens`;
}
