// What the runtime asks before a tool runs. The rules answer allow, deny or ask; the question itself is put by the
// runtime, which knows the host. Every decision goes to the audit log.

import type { CommandRun, Permit } from "../tools/files/permit.ts";

export interface ToolCall {
  readonly conversationId: string;
  readonly toolId: string;
  readonly toolName: string;
  /** A snapshot: what is shown is what is executed. */
  readonly input: unknown;
  /** The tool's author says that it changes nothing. */
  readonly isReadOnly: boolean;
  /** Who wants to make it, where it isn't one of our tools. */
  readonly agent?: CallingAgent | undefined;
}

/** An agent with tools of its own. Its calls are known to rules as `<agent>__<kind>`: `codex__execute`. */
export interface CallingAgent {
  /** As models are named: `acp/codex`. */
  readonly name: string;
  /** What sort of tool it is, in the agent's word. */
  readonly kind: string;
  /** What it would do, in the agent's words; some tell a command only here. */
  readonly title: string;
  /** Files that it says the call is about: what denies our own tools a file denies it to the agent. */
  readonly paths: readonly string[];
}

type SettledVia = "rule" | "remembered" | "default" | "mode";

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  /** Which rule says so, or why it is asked; for people. */
  readonly reason: string;
  /** What settled it: a rule (unless given), an answer that was remembered, the defaults, or that there is no user to ask. */
  readonly via?: SettledVia;
  /** Holds tools that open files to what was decided about. */
  readonly permit?: Permit | undefined;
  /** Of a command: how and where it would run. */
  readonly runs?: CommandRun | undefined;
}

/** How a user answers; `host` where the host does not say. */
export type AnsweredVia = "click" | "key" | "shortcut" | "word" | "host";

/** How a call was decided in the end. */
export interface Outcome {
  readonly decision: "allow" | "allow_always" | "deny";
  /** Who decided, or why it is so; for people. */
  readonly by: string;
  /** Without an answer: `expired` in time, `closed` when the host is gone, `cancelled` with its turn. */
  readonly via: SettledVia | AnsweredVia | "expired" | "closed" | "cancelled";
  /** Which of the answers that an agent offered the user has picked, if one was named. */
  readonly optionId?: string | undefined;
}

export interface PermissionPolicy {
  /** Resolves when all is known that a decision needs, such as whether there is a sandbox. */
  whenReady?(call: ToolCall): Promise<void>;
  decide(call: ToolCall): Verdict;
  /** The user said `allow_always`: later calls of the same kind need no question. False when it covers this call alone. */
  allowAlways(call: ToolCall): boolean;
  /** For the audit log. */
  note(call: ToolCall, outcome: Outcome): void;
}
