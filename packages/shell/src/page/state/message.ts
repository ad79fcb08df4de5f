// A message as it is drawn: what was said, thought and planned, and the uses of tools with their questions, in order.

import type { Decision } from "@hawser/agent/host/link";
import type { MessagePart, PermissionOption, PlanData } from "@hawser/protocol";

export type Location = NonNullable<Extract<MessagePart, { type: "tool_use" }>["locations"]>[number];
export type FileDiff = NonNullable<Extract<MessagePart, { type: "tool_result" }>["diffs"]>[number];

/** What an agent says itself about a use of a tool, or about a question. */
export interface AboutUse {
  readonly title?: string | undefined;
  /** `read`, `edit`, `execute` …; `kind` is taken. */
  readonly toolKind?: string | undefined;
  readonly locations?: readonly Location[] | undefined;
  readonly diffs?: readonly FileDiff[] | undefined;
}

export interface Permission extends AboutUse {
  readonly permissionId: string;
  readonly reason: string;
  /** What exactly would run. */
  readonly input: unknown;
  /** Whether a file is there already that would be written over; undefined where the runtime does not say. */
  readonly replaces?: boolean | undefined;
  /** The answers that the asking agent offers, in its own words. */
  readonly options?: readonly PermissionOption[] | undefined;
  /** Which of them was chosen. */
  readonly optionId?: string | undefined;
  /** `expired`: it can't be answered any more. */
  readonly decision?: Decision | "expired" | undefined;
  /** The answer that counts was given on another page. */
  readonly isFromElsewhere?: boolean | undefined;
}

export interface ToolPart extends AboutUse {
  readonly kind: "tool";
  readonly toolId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly state: "running" | "done" | "failed";
  readonly result?: unknown;
  readonly error?: string | undefined;
  /** How long it ran, as the runtime says; unknown for what was loaded. */
  readonly durationMs?: number | undefined;
  readonly progress?: { readonly message?: string | undefined; readonly done?: number | undefined; readonly total?: number | undefined };
  readonly permission?: Permission | undefined;
}

/** What the model thinks before it answers; never part of the answer. */
export interface ThoughtPart {
  readonly kind: "thought";
  readonly text: string;
  /** The runtime's clock. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What the agent means to do: one in an answer, always the latest. */
export interface PlanPart extends PlanData {
  readonly kind: "plan";
}

/** What the user said while the answer was made, where the model saw it. */
export interface SteerPart {
  readonly kind: "steer";
  readonly steerId: string;
  readonly text: string;
}

/** What the beginning of the conversation, up to here, was summarised as for the model. */
export interface SummaryPart {
  readonly kind: "summary";
  /** How many messages it stands for, from the first one on. */
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Unknown until the history is asked. */
  readonly text?: string | undefined;
}

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | ThoughtPart
  | PlanPart
  | SteerPart
  | SummaryPart
  | { readonly kind: "attachment"; readonly path: string; readonly mime: string }
  | ToolPart;

export interface Failure {
  readonly text: string;
  readonly code?: string | undefined;
}

export interface Message {
  /** The same before and after the message got its place in the history. */
  readonly key: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  readonly at: number;
  readonly state: "running" | "ended";
  readonly messageId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly model?: string | undefined;
  readonly failure?: Failure | undefined;
}
