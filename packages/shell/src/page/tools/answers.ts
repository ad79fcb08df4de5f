// The answers that a question has: those that the asking agent offers, in its order and words; else ours. What an answer does is
// said in our words beside the agent's, and nothing that lasts has a shortcut or the first focus.

import type { Decision } from "@hawser/agent/host/link";
import { optionMeanings, reveal, trustTool, type PermissionOption } from "@hawser/protocol/internal";
import { answerKeys } from "../components/keys.tsx";
import type { Permission } from "../state/page-state.ts";

export interface PossibleAnswer {
  readonly label: string;
  /** What it does, where the label is somebody else's. */
  readonly effect?: string;
  readonly decision: Decision;
  readonly optionId?: string;
  readonly tone: "allow" | "lasting" | "reject";
  readonly keys: readonly string[];
}

const deny: PossibleAnswer = { label: "Deny", decision: "deny", tone: "reject", keys: answerKeys.deny };

const ownAnswers: readonly PossibleAnswer[] = [
  { label: "Allow once", decision: "allow", tone: "allow", keys: answerKeys.allow },
  { label: "Always allow", decision: "allow_always", tone: "lasting", keys: [] },
  deny,
];

/** Trust lasts. */
const trustAnswers: readonly PossibleAnswer[] = [
  { label: "Trust this folder", decision: "allow", tone: "lasting", keys: [] },
  { ...deny, label: "Don't trust" },
];

const tones = { allow: "allow", allow_always: "lasting", deny: "reject" } as const;

export function answersTo(toolName: string, { options = [] }: Pick<Permission, "options">): readonly PossibleAnswer[] {
  if (options.length === 0) return toolName === trustTool ? trustAnswers : ownAnswers;
  const firstOf = (kind: PermissionOption["kind"]): PermissionOption | undefined => options.find((option) => option.kind === kind);
  const [allowed, rejected] = [firstOf("allow_once"), firstOf("reject_once")];
  const offered = options.map((option): PossibleAnswer => {
    const keys = option === allowed ? answerKeys.allow : option === rejected ? answerKeys.deny : [];
    const meaning = optionMeanings[option.kind];
    return { label: reveal(option.name), ...meaning, tone: tones[meaning.decision], optionId: option.optionId, keys };
  });
  // There is always a way to say no.
  return offered.some(({ decision }) => decision === "deny") ? offered : [...offered, deny];
}

/** Where the focus comes to first: never at an answer that lasts, if there is another one. */
export const firstFocus = (answers: readonly PossibleAnswer[]): number =>
  Math.max(
    0,
    answers.findIndex(({ tone }) => tone !== "lasting"),
  );

/** How a shortcut answers, if it does. */
export const answerByKeys = (answers: readonly PossibleAnswer[], decision: Decision): PossibleAnswer | undefined =>
  answers.find((answer) => answer.keys.length > 0 && answer.decision === decision);
