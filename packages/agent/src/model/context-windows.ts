// How many tokens the context of a model holds: from this table, the configuration, and the vendor's own word when a request was
// too long, in that order of trust: a later source can only narrow what an earlier one says. Unknown stays unknown.

import { agentLimits } from "../limits.ts";

/** Names as `--model` takes them, without the date at their end. Where a vendor bounds the input by itself, it is that bound. */
const known: readonly (readonly [RegExp, number])[] = [
  [/^anthropic\/claude-(opus|sonnet)-4-[6-9]$/, 1_000_000],
  [/^anthropic\/claude-(opus|sonnet|haiku|fable)-5(-\d)?$/, 1_000_000],
  [/^anthropic\/claude-(opus|sonnet|haiku)-4(-[0-5])?$/, 200_000],
  [/^anthropic\/claude-3(-[57])?-(opus|sonnet|haiku)$/, 200_000],
  [/^openai\/gpt-5\.[45](-pro)?$/, 922_000],
  [/^openai\/gpt-5(\.\d)?-chat-latest$/, 128_000],
  [/^openai\/gpt-5(-mini|-nano|-pro)?$/, 272_000],
  [/^openai\/gpt-5(\.[1-3])?-codex(-mini|-max)?$/, 272_000],
  [/^openai\/gpt-5\.[12](-pro)?$/, 272_000],
  [/^openai\/gpt-4\.1(-mini|-nano)?$/, 1_047_576],
  [/^openai\/(gpt-4o|gpt-4o-mini|gpt-4-turbo)$/, 128_000],
  [/^openai\/(o1|o3|o3-mini|o4-mini)$/, 200_000],
  [/^openai\/gpt-3\.5-turbo$/, 16_385],
];

const date = /-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/;

function windowOfKnown(name: string): number | undefined {
  const plain = [name, name.replace(date, "")];
  return known.find(([pattern]) => plain.some((each) => pattern.test(each)))?.[1];
}

export interface ContextWindows {
  /** Undefined where nothing is known. */
  of(name: string): number | undefined;
  /** The vendor said so itself. */
  learn(name: string, tokens: number): void;
}

export interface ContextWindowOptions {
  /** By model. */
  readonly configured?: Readonly<Record<string, number>> | undefined;
  /** Of whichever model answers. */
  readonly given?: number | undefined;
}

export function createContextWindows({ configured = {}, given }: ContextWindowOptions = {}): ContextWindows {
  const learned = new Map<string, number>();
  return {
    of(name) {
      const byName = Object.hasOwn(configured, name) ? configured[name] : undefined;
      const all = [windowOfKnown(name), byName, given, learned.get(name)].filter((tokens) => tokens !== undefined);
      return all.length === 0 ? undefined : Math.min(...all);
    },
    learn(name, tokens) {
      if (learned.size < agentLimits.modelCatalogEntries) learned.set(name, Math.min(tokens, learned.get(name) ?? Infinity));
    },
  };
}
