// What "always allow" covers, as narrow as it is still useful: the same tool on the same file, the same command with
// exactly the same arguments (`git status` is not `git push`), the same operation; for any other tool that tool, since
// only its author knows what its arguments mean. It becomes a rule, so that a remembered answer and a written one work
// alike. An answer that wouldn't be a valid rule is not remembered, and the question says so before it is answered.

import { cutText, isRecord } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";
import { toLiteralGlob } from "../tools/files/glob.ts";
import { factsOf } from "../tools/tool-table.ts";
import type { CommandRun } from "../tools/files/permit.ts";
import { sandboxWord, type SeenPath } from "./call-values.ts";
import type { ToolCall } from "./policy.ts";
import { parseRule, type PermissionRule } from "../rules/permission-rule.ts";

export type Coverage =
  /** `description`: what it covers, for the question. */
  | { readonly rule: PermissionRule; readonly description: string }
  /** Why an answer covers this call alone. */
  | { readonly onlyOnce: string };

const shownChars = 200;

/** Which calls "allow always" covers when it answers a question about this one, whose path was seen as `seen`. */
export function coverageOf(call: ToolCall, seen: SeenPath | undefined, runs?: CommandRun): Coverage {
  // Only the agent knows what is alike among its own calls; it offers an answer for that, or none.
  if (call.agent) return { onlyOnce: "the agent remembers its own answers" };
  const kind = kindOfCall(call, seen, runs);
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

function kindOfCall({ toolName, input }: ToolCall, seen: SeenPath | undefined, runs: CommandRun | undefined): Coverage {
  const { command, args = [], operationId } = isRecord(input) ? input : {};
  const odd = { onlyOnce: "its input is not what the tool takes" };
  const toKind = (match: NonNullable<PermissionRule["match"]>, description: string): Coverage => ({
    rule: { tool: toLiteralGlob(toolName), match, decision: "allow" },
    description,
  });
  switch (factsOf(toolName).actsOn) {
    case "file": {
      const [name] = seen?.names ?? [];
      if (!seen || name === undefined) return odd;
      // The real name: it covers also the ways that lead there, once they are resolved.
      if (seen.names.length !== 1) return { onlyOnce: "its path leads through a link, which may lead elsewhere tomorrow" };
      return toKind({ path: toLiteralGlob(name) }, `${toolName} on ${name}`);
    }
    case "command": {
      if (typeof command !== "string" || !Array.isArray(args) || !args.every((value) => typeof value === "string")) return odd;
      const line = cutText([command, ...args].join(" "), shownChars);
      const match = { command: toLiteralGlob(command), args: args.map(toLiteralGlob) };
      const description = `the command ${line} with exactly these arguments`;
      // What was allowed inside of the sandbox was not allowed outside of it.
      return runs?.sandboxed
        ? toKind({ ...match, sandbox: sandboxWord(runs) }, `${description}, in this sandbox`)
        : toKind(match, description);
    }
    case "operation": {
      if (typeof operationId !== "string") return odd;
      const match = { operationId: toLiteralGlob(operationId) };
      return toKind(match, `the operation ${cutText(operationId, shownChars)}, whatever its arguments`);
    }
    default:
      return toKind({}, `every call of ${toolName}, whatever its arguments`);
  }
}
