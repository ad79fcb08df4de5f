// What a turn, and a conversation, may use: tokens, money, time. A step that would go beyond it is not begun, and the turn ends with
// one error that says how to go on. Time is watched by a clock; what one step uses is known when it has ended.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import type { Used } from "../history/record.ts";

export interface Budget {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
  readonly ms?: number | undefined;
}

/** From the configuration. */
export interface Budgets {
  /** Of every turn; a message may narrow it. */
  readonly turn?: Budget | undefined;
  readonly conversation?: Budget | undefined;
}

const members = ["tokens", "usd", "ms"] as const;
type Member = (typeof members)[number];

/** Of a message. Throws `invalid_message`. */
export function readBudget(value: unknown): Budget | undefined {
  if (value === undefined) return undefined;
  const refuse = (problem: string): never => {
    throw new HawserError("invalid_message", `"metadata.budget${problem}`);
  };
  if (!isRecord(value)) return refuse('" must be an object such as {"tokens": 50000}');
  for (const name of Object.keys(value))
    if (!members.includes(name as Member)) refuse(`.${name}" means nothing; known are: ${members.join(", ")}`);
  for (const name of members) {
    const bound = value[name];
    if (bound !== undefined && !(typeof bound === "number" && Number.isFinite(bound) && bound > 0))
      refuse(`.${name}" must be a number above 0`);
  }
  return value as Budget;
}

/** The smaller of both, each member by itself. */
export function narrowBudget(one: Budget = {}, other: Budget = {}): Budget {
  const least = (name: Member): number | undefined => {
    const bounds = [one[name], other[name]].filter((bound) => bound !== undefined);
    return bounds.length === 0 ? undefined : Math.min(...bounds);
  };
  return { tokens: least("tokens"), usd: least("usd"), ms: least("ms") };
}

export interface BudgetCheck {
  readonly turn: Budget;
  readonly conversation: Budget;
  /** By the earlier turns of the conversation. */
  readonly earlier: Used;
}

/** What the next step would use at least, besides what was used. */
export interface NextStep {
  readonly used: Used;
  readonly tokens: number;
}

/** Throws `budget_exceeded`. */
export function checkBudget({ turn, conversation, earlier }: BudgetCheck, { used, tokens }: NextStep): void {
  checkBound(turn, { used, tokens, whose: "turn" });
  const all = { tokens: earlier.tokens + used.tokens, usd: earlier.usd + used.usd, ms: earlier.ms + used.ms };
  checkBound(conversation, { used: all, tokens, whose: "conversation" });
}

type Whose = "turn" | "conversation";

function checkBound(budget: Budget, { used, tokens, whose }: NextStep & { readonly whose: Whose }): void {
  if (budget.tokens !== undefined && used.tokens + tokens > budget.tokens) {
    const next = tokens > 0 ? `, and the next step needs about ${tokens}` : "";
    throw toExceeded(whose, "tokens", `${used.tokens} of the ${budget.tokens} tokens of this ${whose} are used${next}`);
  }
  if (budget.usd !== undefined && used.usd >= budget.usd)
    throw toExceeded(whose, "usd", `$${used.usd.toFixed(4)} of the $${budget.usd} of this ${whose} are spent`);
  if (budget.ms !== undefined && used.ms >= budget.ms) throw toExceeded(whose, "ms", `the ${budget.ms} ms of this ${whose} are over`);
}

const waysOn: Readonly<Record<Whose, (member: Member) => string>> = {
  turn: (member) => `What was done is kept; send another message to go on, with a larger metadata.budget.${member} if it is to get further`,
  conversation: (member) => `Raise budgets.conversation.${member} in the configuration, or begin another conversation`,
};

export const toExceeded = (whose: Whose, member: Member, what: string): HawserError =>
  new HawserError("budget_exceeded", `${what}. ${waysOn[whose](member)}`, {
    facts: { whose, member },
  });

/** A budget in money for something that has no price would never end anything. */
export function checkPrice(usd: number | undefined, name: string, hasPrice: boolean): void {
  if (usd === undefined || hasPrice) return;
  throw new HawserError("usage", `a budget in US dollars needs the prices of ${name}: set them in the configuration as prices["${name}"]`);
}
