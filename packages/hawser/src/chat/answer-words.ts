// The words that answer a question at the terminal. An agent's own answers have a number each; one that lasts is only answered by a
// word that is not typed by accident. yes and no work wherever they fit.

import type { PermissionAnswer, PermissionRequest } from "@hawser/agent/host";
import { optionMeanings, trustTool, type PermissionOption } from "@hawser/protocol/internal";

type Meaning = Pick<PermissionAnswer, "decision" | "optionId">;

export interface AnswerWords {
  /** What is offered besides our own words, each with the word for it. */
  readonly offers: readonly { readonly word: string; readonly name: string; readonly effect: string }[];
  /** Those that the prompt names. */
  readonly named: readonly { readonly word: string; readonly note?: string }[];
  readonly meanings: ReadonlyMap<string, Meaning>;
}

const no = ["no", "n"] as const;

const own: AnswerWords = {
  offers: [],
  named: [{ word: "yes", note: "(once)" }, { word: "no" }, { word: "always" }],
  meanings: new Map([
    ...sayings(["yes", "y"], { decision: "allow" }),
    ["always", { decision: "allow_always" }],
    ...sayings(no, { decision: "deny" }),
  ]),
};

/** Trust lasts: it has no short form. */
const trust: AnswerWords = {
  offers: [],
  named: [{ word: "trust" }, { word: "no" }],
  meanings: new Map([["trust", { decision: "allow" }], ...sayings(no, { decision: "deny" })]),
};

const lastingWords: Partial<Record<PermissionOption["kind"], string>> = { allow_always: "always", reject_always: "never" };

export function answerWordsFor({ toolName, options = [] }: Pick<PermissionRequest, "toolName" | "options">): AnswerWords {
  if (options.length === 0) return toolName === trustTool ? trust : own;
  const wordOf = (kind: PermissionOption["kind"], at: number): string => {
    const lasting = lastingWords[kind];
    if (lasting === undefined) return String(at + 1);
    return options.filter((option) => option.kind === kind).length === 1 ? lasting : `${lasting} ${at + 1}`;
  };
  const offers = options.map(({ name, kind }, at) => ({ word: wordOf(kind, at), name, effect: optionMeanings[kind].effect }));
  const toMeaning = ({ kind, optionId }: PermissionOption): Meaning => ({ decision: optionMeanings[kind].decision, optionId });
  const once = options.find(({ kind }) => kind === "allow_once");
  const rejected = options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  const meanings = new Map<string, Meaning>([
    ...(once ? sayings(["yes", "y"], toMeaning(once)) : []),
    // There is always a way to say no.
    ...sayings(no, rejected ? toMeaning(rejected) : { decision: "deny" }),
    ...options.map((option, at) => [offers[at]?.word ?? "", toMeaning(option)] as const),
  ]);
  const named = offers.map(({ word }) => ({ word }));
  return { offers, named: rejected ? named : [...named, { word: "no" }], meanings };
}

function sayings(words: readonly string[], meaning: Meaning): (readonly [string, Meaning])[] {
  return words.map((word) => [word, meaning]);
}
