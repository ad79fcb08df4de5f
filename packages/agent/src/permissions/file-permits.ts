// What a decision means for the files that a tool opens. The target of the call must be what was looked at when it
// was decided; for `run_command` that is the folder that it runs in. A search or a listing meets files that the call
// does not name: each is judged by the rules as if it had been named, a searched file also as `read_file` would be.
// What the call's own decision has settled is not asked again: a rule that asks counts here only if it says something
// about this file that it did not say about the call.

import { posix, sep } from "node:path";
import { targetOf, type Permit, type Ruling } from "../tools/files/permit.ts";
import type { Roots } from "../tools/files/roots.ts";
import { factsOf } from "../tools/tool-table.ts";
import { valuesOfCall, type SeenPath } from "./call-values.ts";
import type { ToolCall } from "./policy.ts";
import type { PermissionRule } from "../rules/permission-rule.ts";
import { matchesRule } from "./rules.ts";
import { matchesGlob } from "../tools/files/glob.ts";

export interface PermitOptions {
  readonly call: ToolCall;
  readonly seen: SeenPath | undefined;
  readonly roots: Roots;
  /** All rules, in their order. */
  readonly rules: readonly PermissionRule[];
  /** What the user has allowed for the conversation. */
  readonly answers: readonly PermissionRule[];
}

export function createPermit(options: PermitOptions): Permit {
  const { call, seen, roots } = options;
  const { actsOn, opensLike } = factsOf(call.toolName);
  const target = actsOn === "command" ? targetOf(roots.paths[0]) : seen?.target;
  const judge = createJudge(call.toolName, options);
  const judges = { folder: [judge], file: opensLike === undefined ? [judge] : [judge, createJudge(opensLike, options)] };
  return {
    target,
    judge(real, kind) {
      const names = namesBelow(real, options);
      const rulings = judges[kind].map((rulingOn) => rulingOn(names));
      return rulings.find((ruling) => ruling === "deny") ?? rulings.find((ruling) => ruling === "ask") ?? "allow";
    },
  };
}

/** By its real path, and by the way over the link that the call has named. */
function namesBelow(real: string, { seen, roots }: PermitOptions): readonly string[] {
  const shown = roots.show(real);
  const [byText] = seen?.names ?? [];
  if (!seen?.target || seen.names.length === 1 || byText === undefined) return [shown];
  const way = real.slice(seen.target.existing.length).replaceAll(sep, "/");
  return [posix.join(byText, way), shown];
}

function createJudge(toolName: string, { call, seen, roots, rules, answers }: PermitOptions): (names: readonly string[]) => Ruling {
  const concerned = rules.filter((rule) => matchesGlob(rule.tool, toolName));
  if (concerned.every(({ decision }) => decision === "allow")) return () => "allow";
  const ownValues = valuesOfCall(call, { seen, roots });
  const settled = new Set(rules.filter((rule) => matchesRule(rule, call.toolName, ownValues)));
  return (names) => {
    const values = valuesOfCall(call, { seen: { names }, roots });
    const matching = concerned.filter((rule) => matchesRule(rule, toolName, values));
    if (matching.some(({ decision }) => decision === "deny")) return "deny";
    const last = matching.at(-1);
    if (last?.decision !== "ask" || settled.has(last)) return "allow";
    return answers.some((rule) => matchesRule(rule, toolName, values)) ? "allow" : "ask";
  };
}
