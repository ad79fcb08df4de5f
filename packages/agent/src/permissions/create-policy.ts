// Decides about tool calls. In this order: a rule that denies; an answer that was remembered for this
// conversation; the last rule that matches; the defaults. The defaults: what only reads is allowed,
// everything else asks, and so does every tool of an MCP server, whatever it says about itself. With mode
// `deny` what would ask is denied.

import { limits } from "@hawser/wire";
import type { Roots } from "../tools/files/roots.ts";
import type { AuditLog } from "./audit-log.ts";
import { coverageOf, type Coverage } from "./call-kind.ts";
import { valuesOfCall } from "./call-values.ts";
import type { PermissionPolicy, ToolCall, Verdict } from "./policy.ts";
import { describeRule, matchesRule, type PermissionRule } from "./rules.ts";
import type { RulesFile } from "./rules-file.ts";

export type PermissionMode = "ask" | "deny";

export interface PolicyOptions {
  readonly rules?: readonly PermissionRule[] | undefined;
  /** `deny`: there is nobody to ask. Default: `ask`. */
  readonly mode?: PermissionMode | undefined;
  /** What paths in rules are relative to. */
  readonly roots?: Roots | undefined;
  readonly audit?: AuditLog | undefined;
  /** Where "allow always" is kept beyond the conversation; without it, it is forgotten with the process. */
  readonly remembered?: RulesFile | undefined;
}

export function createPolicy(options: PolicyOptions = {}): PermissionPolicy {
  const { rules = [], mode = "ask", roots, audit, remembered } = options;
  const byConversation = createMemory();
  // What was shown is what counts, however much later the answer comes.
  const judged = new WeakMap<ToolCall, { readonly verdict: Verdict; readonly coverage: Coverage }>();

  function judge(call: ToolCall, coverage: Coverage): Verdict {
    const values = valuesOfCall(call, roots);
    const matches = (rule: PermissionRule): boolean => matchesRule(rule, call.toolName, values);
    const kept = remembered?.rules() ?? [];
    const all = [...rules, ...kept].filter(matches);
    const denied = all.find(({ decision }) => decision === "deny");
    if (denied) return { decision: "deny", reason: `the rule "${describeRule(denied)}" denies it` };
    const answered = byConversation.of(call.conversationId).find(matches);
    if (answered) return { decision: "allow", reason: `allowed for this conversation: ${describeRule(answered)}`, via: "remembered" };
    const last = all.at(-1);
    const via = last && kept.includes(last) ? "remembered" : "rule";
    if (last?.decision === "allow") return { decision: "allow", reason: `the rule "${describeRule(last)}" allows it`, via };
    if (!last && call.isReadOnly && !isForeign(call)) return { decision: "allow", reason: "it only reads", via: "default" };
    return question(call, last, coverage);
  }

  function question(call: ToolCall, rule: PermissionRule | undefined, coverage: Coverage): Verdict {
    const why = rule ? `the rule "${describeRule(rule)}" asks` : `${whyAsked(call)}, and no rule allows it`;
    if (mode === "deny")
      return {
        decision: "deny",
        reason: `${why}; nobody is asked here, so it is denied. A rule among "permissions" in agent.json can allow it`,
        via: "mode",
      };
    return { decision: "ask", reason: `${why}. ${coveredBy(coverage)}` };
  }

  // Before the answer: who says "always" shall know when it means once, or not for long.
  function coveredBy(coverage: Coverage): string {
    if (!("rule" in coverage)) return `"Always allow" is not remembered for this call and means once: ${coverage.onlyOnce}`;
    const problem = remembered?.problem();
    const where = !remembered ? "in this conversation" : problem === undefined ? "from now on" : `in this conversation only: ${problem}`;
    return `"Always allow" covers ${coverage.description}, ${where}`;
  }

  return {
    decide(call) {
      const coverage = coverageOf(call, roots);
      const verdict = judge(call, coverage);
      judged.set(call, { verdict, coverage });
      return verdict;
    },
    allowAlways(call) {
      const coverage = judged.get(call)?.coverage;
      if (!coverage || !("rule" in coverage)) return false;
      byConversation.add(call.conversationId, coverage.rule);
      remembered?.append(coverage.rule);
      return true;
    },
    note(call, outcome) {
      audit?.write(call, { ...outcome, rule: judged.get(call)?.verdict.reason });
    },
  };
}

/** `<server>__<tool>`: a server's word about its own tool proves nothing. */
const isForeign = ({ toolName }: ToolCall): boolean => toolName.includes("__");

function whyAsked(call: ToolCall): string {
  if (isForeign(call)) return `${call.toolName} belongs to an MCP server`;
  return call.toolName === "run_command" ? "it runs a program" : `${call.toolName} may change something`;
}

interface Memory {
  of(conversationId: string): readonly PermissionRule[];
  add(conversationId: string, rule: PermissionRule): void;
}

/** Bounded over all conversations: the oldest answers are forgotten, which only means one more question. */
function createMemory(): Memory {
  const answers: { readonly conversationId: string; readonly rule: PermissionRule }[] = [];
  return {
    of: (conversationId) => answers.filter((answer) => answer.conversationId === conversationId).map(({ rule }) => rule),
    add(conversationId, rule) {
      answers.push({ conversationId, rule });
      if (answers.length > limits.permissionRuleEntries) answers.shift();
    },
  };
}
