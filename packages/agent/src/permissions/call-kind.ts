// What "always allow" covers, as narrow as it is still useful: for a file tool the same tool on the same
// file; for `run_command` the same command with exactly the same arguments (`git status` is not `git push`);
// for `call_operation` the same operation; for any other tool that tool, since only its author knows what
// its arguments mean. It becomes a rule, so that a remembered answer and a written one work alike. An answer that
// wouldn't be a valid rule is not remembered, and the question says so before it is answered.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { toLiteralGlob } from "../tools/files/glob.ts";
import { factsOf } from "../tools/tool-table.ts";
import type { SeenPath } from "./call-values.ts";
import type { ToolCall } from "./policy.ts";
import { parseRule, type PermissionRule } from "../rules/permission-rule.ts";

interface CallKind {
  readonly rule: PermissionRule;
  /** What it covers, for the question. */
  readonly description: string;
}

/** Why an answer covers this call alone. */
interface OnlyThisCall {
  readonly onlyOnce: string;
}

const shownChars = 200;

export type Coverage = CallKind | OnlyThisCall;

/** Which calls "allow always" covers when it answers a question about this one, whose path was seen as `seen`. */
export function coverageOf(call: ToolCall, seen: SeenPath | undefined): Coverage {
  const kind = kindOfCall(call, seen);
  return "rule" in kind && !isRule(kind.rule) ? { onlyOnce: "its input is too long to be remembered" } : kind;
}

/** A rule that would be refused when it is read again must not be written. */
function isRule(rule: PermissionRule): boolean {
  try {
    return JSON.stringify(parseRule(rule, "it")).length <= agentLimits.permissionValueChars;
  } catch {
    return false;
  }
}

const odd: OnlyThisCall = { onlyOnce: "its input is not what the tool takes" };

function kindOfCall(call: ToolCall, seen: SeenPath | undefined): Coverage {
  const { toolName } = call;
  const input = isRecord(call.input) ? call.input : {};
  const { actsOn } = factsOf(toolName);
  if (actsOn === "file") return kindOfFileCall(toolName, seen);
  if (actsOn === "command") return kindOfCommand(toolName, input);
  if (actsOn === "operation") return kindOfOperation(toolName, input["operationId"]);
  return { rule: toRule(toolName, {}), description: `every call of ${toolName}, whatever its arguments` };
}

function kindOfFileCall(toolName: string, seen: SeenPath | undefined): Coverage {
  if (!seen) return odd;
  // The real name: it covers also the ways that lead there, once they are resolved.
  if (seen.names.length !== 1) return { onlyOnce: "its path leads through a link, which may lead elsewhere tomorrow" };
  const [name] = seen.names as [string];
  return { rule: toRule(toolName, { path: toLiteralGlob(name) }), description: `${toolName} on ${name}` };
}

function kindOfCommand(toolName: string, { command, args = [] }: Record<string, unknown>): Coverage {
  if (typeof command !== "string" || !Array.isArray(args) || !args.every((value) => typeof value === "string")) return odd;
  const match = { command: toLiteralGlob(command), args: args.map(toLiteralGlob) };
  return {
    rule: toRule(toolName, match),
    description: `the command ${cutText([command, ...args].join(" "), shownChars)} with exactly these arguments`,
  };
}

function kindOfOperation(toolName: string, operationId: unknown): Coverage {
  if (typeof operationId !== "string") return odd;
  const match = { operationId: toLiteralGlob(operationId) };
  return {
    rule: toRule(toolName, match),
    description: `the operation ${cutText(operationId, shownChars)}, whatever its arguments`,
  };
}

const toRule = (toolName: string, match: NonNullable<PermissionRule["match"]>): PermissionRule => ({
  tool: toLiteralGlob(toolName),
  match,
  decision: "allow",
});
