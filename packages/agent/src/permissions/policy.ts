// What the runtime asks before a tool runs. The rules answer allow, deny, or ask; whoever asks is the
// runtime, which knows the host. Every decision goes to the audit log.

export interface ToolCall {
  readonly conversationId: string;
  readonly toolId: string;
  readonly toolName: string;
  /** A snapshot: what is shown is what is executed. */
  readonly input: unknown;
  /** The tool's author says that it changes nothing. */
  readonly isReadOnly: boolean;
}

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  /** Which rule says so, or why it is asked; for people. */
  readonly reason: string;
}

export interface PermissionPolicy {
  decide(call: ToolCall): Verdict;
  /** The user said `allow_always`: later calls of the same kind in this conversation need no question. */
  allowAlways(call: ToolCall): void;
  /** Notes how a call was decided, and by whom: a rule, the user, or nobody. */
  note(call: ToolCall, decision: "allow" | "deny", by: string): void;
}
