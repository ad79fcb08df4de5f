// Whether a call may run: the policy's word, or the user's where it asks, and a line in the audit log either way. The same
// for tools of ours and for what an agent of others wants to do; the latter brings the answers that it understands.

import { HawserError, type PermissionOption, type ResponseBody } from "@hawser/protocol/internal";
import type { Outcome, PermissionPolicy, ToolCall } from "../permissions/policy.ts";
import { factsOf } from "../tools/tool-table.ts";
import type { FileDiff } from "../model/turn-agent.ts";
import type { Permit } from "../tools/files/permit.ts";
import { fittingDiffs } from "./agent-record.ts";
import type { Questions } from "./questions.ts";
import type { TurnScope } from "./tool-runner.ts";

export interface Authority {
  readonly policy: PermissionPolicy;
  readonly questions: Questions;
}

type PermissionData = Extract<ResponseBody, { type: "permission_request" }>["data"];

/** What the user is shown besides the call itself. */
export interface Asking extends Partial<Omit<PermissionData, "permissionId" | "toolId" | "input" | "options">> {
  readonly options?: readonly PermissionOption[] | undefined;
  /** What the call would change in files, as far as that can be told; made only where the user is asked. */
  preview?(permit: Permit | undefined): Promise<readonly FileDiff[]>;
}

export interface Authorized {
  /** What its files are held to. */
  readonly permit: Permit | undefined;
  /** The answer, where the user was asked. */
  readonly answer?: Outcome | undefined;
}

/** Throws `tool_failed` when it may not run. */
export async function authorize(
  { policy, questions }: Authority,
  call: ToolCall,
  scope: TurnScope,
  asking: Asking = {},
): Promise<Authorized> {
  await policy.whenReady?.(call);
  const { decision, reason, via = "rule", permit, runs } = policy.decide(call);
  if (decision !== "ask") {
    policy.note(call, { decision, by: reason, via });
    if (decision === "allow") return { permit };
    throw new DeniedError(`denied: ${reason}`);
  }
  const given = scope.takeAnswer?.(call);
  if (given) {
    policy.note(call, given);
    return { permit };
  }
  const { toolId, toolName, input } = call;
  const { options, preview, ...shown } = asking;
  const foreseen = fittingDiffs(await preview?.(permit));
  const diffs = foreseen.length > 0 ? { diffs: foreseen } : {};
  // Whether a file is there already is known from what the decision is bound to.
  const replaced = factsOf(toolName).mayReplace && permit?.target ? { replaces: permit.target.missing.length === 0 } : {};
  const how = { ...replaced, ...(runs && { runs }) };
  const data = { toolId, toolName, input, reason, ...how, ...shown, ...diffs, ...(options && { options: [...options] }) };
  const put = (permissionId: string): Promise<void> => scope.emit({ type: "permission_request", data: { permissionId, ...data } });
  scope.onQuestion(true);
  const answer = await questions
    .ask(scope, put, options)
    .finally(() => scope.onQuestion(false))
    .catch((error: unknown) => {
      policy.note(call, { decision: "deny", by: "the turn ended before an answer came", via: "cancelled" });
      throw error;
    });
  const isKept = answer.decision === "allow_always" && (policy.allowAlways(call) || hasAlways(options));
  policy.note(call, isKept || answer.decision === "deny" ? answer : { ...answer, decision: "allow" });
  if (answer.decision === "deny") throw new DeniedError(`denied: ${answer.by === "the user" ? "the user said no" : answer.by}`, answer);
  // For a page that comes back while the tool runs: the question is answered.
  const message = answer.decision === "allow_always" && !isKept ? "allowed once; this call can't be remembered" : "allowed";
  await scope.emit({ type: "progress", data: { toolId, message } });
  return { permit, answer };
}

/** The agent that asks remembers it. */
const hasAlways = (options: readonly PermissionOption[] = []): boolean => options.some(({ kind }) => kind === "allow_always");

/** `answer`: the user's, where the user was asked. */
export class DeniedError extends HawserError {
  readonly answer: Outcome | undefined;

  constructor(message: string, answer?: Outcome) {
    super("tool_failed", message);
    this.answer = answer;
  }
}
