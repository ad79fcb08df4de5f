// Decides about tool calls. In this order: a rule that denies; an answer that was remembered for this conversation; the
// last rule that matches; the defaults: what only reads is allowed, everything else asks, and so does every tool of an
// MCP server, whatever it says about itself. With mode `deny` what would ask is denied.

import { agentLimits } from "../limits.ts";
import type { Roots } from "../tools/files/roots.ts";
import type { CommandRun, FileRuling } from "../tools/files/permit.ts";
import type { Sandbox } from "../tools/sandbox/sandbox.ts";
import { factsOf, toolNames } from "../tools/tool-table.ts";
import type { AuditLog } from "./audit-log.ts";
import { coverageOf, type Coverage } from "./call-kind.ts";
import { pathOfCall, seePath, valuesOfCall, valuesOfPath, type SeenPath } from "./call-values.ts";
import { createPermit } from "./file-permits.ts";
import type { CallingAgent, PermissionPolicy, ToolCall, Verdict } from "./policy.ts";
import type { PermissionRule } from "../rules/permission-rule.ts";
import { describeRule, matchesRule, type ValuesOf } from "./rules.ts";
import type { RulesFile } from "./rules-file.ts";

export type PolicyMode = "ask" | "deny";

export interface PolicyOptions {
  /** A function where they may change: what is decided from then on is decided by the new ones. */
  readonly rules?: readonly PermissionRule[] | (() => readonly PermissionRule[]) | undefined;
  /** `deny`: there is no user to ask. Default: `ask`. */
  readonly mode?: PolicyMode | undefined;
  /** What paths in rules are relative to. */
  readonly roots?: Roots | undefined;
  readonly audit?: AuditLog | undefined;
  /** What is around commands; nothing unless given. */
  readonly sandbox?: Sandbox | undefined;
  /** Where a user can write rules, for messages. */
  readonly configFile?: string | undefined;
  /** Where "allow always" is kept beyond the conversation; without it, it is forgotten with the process. */
  readonly remembered?: RulesFile | undefined;
}

/** A policy by rules, which can also be asked about files that no tool has named. */
export interface RulesPolicy extends PermissionPolicy {
  /** Of this tool on this file, by its name and its real path; undefined where no rule is against it. */
  rulingOn(toolName: string, names: readonly string[]): FileRuling | undefined;
  /** Why this file may not be read at all. */
  denialOfReading(names: readonly string[]): string | undefined;
}

export function createPolicy(options: PolicyOptions = {}): RulesPolicy {
  const { mode = "ask", roots, audit, remembered, sandbox, configFile = "agent.json" } = options;
  const written = createWritten(options.rules ?? [], roots);
  /** Bounded over all conversations: the oldest answers are forgotten, which only means one more question. */
  const answers: { readonly conversationId: string; readonly rule: PermissionRule }[] = [];
  // An answer counts for what was shown, however much later it comes.
  const judged = new WeakMap<ToolCall, { readonly verdict: Verdict; readonly coverage: Coverage }>();
  /** Answers that were kept beyond their conversation. */
  const kept = (): readonly PermissionRule[] => remembered?.rules() ?? [];
  const answersIn = (id: string): PermissionRule[] => answers.flatMap(({ conversationId, rule }) => (conversationId === id ? [rule] : []));

  /** Undefined for what isn't a command, and where nothing is known of sandboxes. */
  const runOf = ({ toolName }: ToolCall): CommandRun | undefined =>
    sandbox && roots && factsOf(toolName).actsOn === "command" ? { folder: roots.paths[0], ...sandbox.containment() } : undefined;

  function judge(call: ToolCall, seen: SeenPath | undefined, { coverage, runs }: Facts): Verdict {
    const values = valuesOfCall(call, { seen, roots, runs });
    const matches = (rule: PermissionRule): boolean => matchesRule(rule, call.toolName, values);
    const all = [...written(), ...kept()].filter(matches);
    const denied = all.find(({ decision }) => decision === "deny");
    if (denied) return { decision: "deny", reason: denialBy(denied) };
    const denial = call.agent && denialOfPaths(call.agent);
    if (denial !== undefined) return { decision: "deny", reason: denial };
    const refusal = runs && sandbox?.refusal();
    if (refusal !== undefined) return { decision: "deny", reason: refusal, via: "default" };
    const answered = answersIn(call.conversationId).find(matches);
    if (answered) return { decision: "allow", reason: `allowed for this conversation: ${describeRule(answered)}`, via: "remembered" };
    const last = all.at(-1);
    const via = last && kept().includes(last) ? "remembered" : "rule";
    if (last?.decision === "allow") return { decision: "allow", reason: `the rule "${describeRule(last)}" allows it`, via };
    if (!last && call.isReadOnly && !isForeign(call)) return { decision: "allow", reason: "it only reads", via: "default" };
    const why = last ? questionBy(last) : `${whyAsked(call)}, and no rule allows it`;
    if (mode === "deny") {
      const reason = `${why}; there is no user to ask here, so it is denied. ${howToAllow(coverage, configFile)}`;
      return { decision: "deny", reason, via: "mode" };
    }
    const [, real] = seen?.names ?? [];
    const where = real === undefined ? "" : ` Its path leads through a link to ${real}.`;
    // An agent's own answers say themselves what they cover.
    const how = runs ? ` ${describeRun(runs, sandbox?.problem())}` : "";
    return { decision: "ask", reason: call.agent ? `${why}.` : `${why}.${how}${where} ${coveredBy(coverage)}` };
  }

  function rulingOn(toolName: string, names: readonly string[]): FileRuling | undefined {
    const values: ValuesOf = (member, isAbsolute) => (member === "path" ? valuesOfPath(names, isAbsolute, roots) : undefined);
    const matching = [...written(), ...kept()].filter((rule) => matchesRule(rule, toolName, values));
    const denied = matching.find(({ decision }) => decision === "deny");
    if (denied) return { decision: "deny", reason: denialBy(denied) };
    const last = matching.at(-1);
    return last?.decision === "ask" ? { decision: "ask", reason: questionBy(last) } : undefined;
  }

  /** By the first of these tools to which a file of this name is denied. */
  const denialOfFile = (tools: readonly string[], names: readonly string[]): string | undefined =>
    tools.map((tool) => rulingOn(tool, names)).find((ruling) => ruling?.decision === "deny")?.reason;

  function denialOfPaths({ kind, paths }: CallingAgent): string | undefined {
    const tools = onlyReads.has(kind) ? [toolNames.readFile] : [toolNames.readFile, toolNames.writeFile, toolNames.editFile];
    for (const path of paths) {
      const denial = denialOfFile(tools, seePath(path, roots).names);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }

  // Said before the answer: "always" may mean once, or only in this conversation.
  function coveredBy(coverage: Coverage): string {
    if (!("rule" in coverage)) return `"Always allow" is not remembered for this call and means once: ${coverage.onlyOnce}`;
    const problem = remembered?.problem();
    const where = !remembered ? "in this conversation" : problem === undefined ? "from now on" : `in this conversation only: ${problem}`;
    return `"Always allow" covers ${coverage.description}, ${where}`;
  }

  return {
    async whenReady({ toolName }) {
      if (factsOf(toolName).actsOn === "command") await sandbox?.whenKnown();
    },
    decide(call) {
      const path = pathOfCall(call);
      const seen = typeof path === "string" ? seePath(path, roots) : undefined;
      const runs = runOf(call);
      const coverage = coverageOf(call, seen, runs);
      const verdict = { ...judge(call, seen, { coverage, runs }), runs };
      judged.set(call, { verdict, coverage });
      if (!roots || verdict.decision === "deny") return verdict;
      const rules = [...written(), ...kept()];
      return { ...verdict, permit: { ...createPermit({ call, seen, roots, rules, answers: answersIn(call.conversationId) }), runs } };
    },
    rulingOn,
    denialOfReading: (names) => denialOfFile([toolNames.readFile], names),
    allowAlways(call) {
      const coverage = judged.get(call)?.coverage;
      if (!coverage || !("rule" in coverage)) return false;
      answers.push({ conversationId: call.conversationId, rule: coverage.rule });
      if (answers.length > agentLimits.permissionRuleEntries) answers.shift();
      remembered?.append(coverage.rule);
      return true;
    },
    note(call, outcome) {
      const verdict = judged.get(call)?.verdict;
      audit?.write(call, { ...outcome, rule: verdict?.reason, runs: verdict?.runs });
    },
  };
}

/** With the real names of the roots, found out once for each list of rules. */
function createWritten(rules: readonly PermissionRule[] | (() => readonly PermissionRule[]), roots: Roots | undefined) {
  let last: { readonly rules: readonly PermissionRule[]; readonly written: readonly PermissionRule[] } | undefined;
  return (): readonly PermissionRule[] => {
    const now = typeof rules === "function" ? rules() : rules;
    if (last?.rules !== now) last = { rules: now, written: now.map((rule) => withRealRoots(rule, roots)) };
    return last.written;
  };
}

interface Facts {
  readonly coverage: Coverage;
  readonly runs: CommandRun | undefined;
}

/** For the question: what is contained, or that nothing is. */
function describeRun({ folder, sandboxed, network }: CommandRun, problem: string | undefined): string {
  if (sandboxed) return `It runs in the sandbox, ${network ? "with the network" : "without the network"}, in ${folder}.`;
  return `It runs without a sandbox (${problem ?? "there is none"}), with all your rights and the network, in ${folder}.`;
}

/** A root may be a link, and a rule may call it by that name: files are known by their real paths. */
function withRealRoots(rule: PermissionRule, roots: Roots | undefined): PermissionRule {
  const path = rule.match?.["path"];
  return roots && typeof path === "string" ? { ...rule, match: { ...rule.match, path: roots.withRealRoot(path) } } : rule;
}

const maxShownRuleChars = 300;

/** For a user who can't be asked: the rule that "always allow" would have become. */
function howToAllow(coverage: Coverage, file: string): string {
  const rule = "rule" in coverage ? JSON.stringify(withoutEmptyMatch(coverage.rule)) : "";
  if (rule === "" || rule.length > maxShownRuleChars) return `A rule among "permissions" in ${file} can allow it`;
  return `To allow it, add ${rule} to "permissions" in ${file}`;
}

const withoutEmptyMatch = ({ tool, match = {}, decision }: PermissionRule): PermissionRule =>
  Object.keys(match).length === 0 ? { tool, decision } : { tool, match, decision };

const denialBy = (rule: PermissionRule): string => `the rule "${describeRule(rule)}" denies it`;
const questionBy = (rule: PermissionRule): string => `the rule "${describeRule(rule)}" asks`;

/** `<server>__<tool>`: a server's word about its own tool proves nothing. */
const isForeign = ({ toolName }: ToolCall): boolean => toolName.includes("__");

const onlyReads: ReadonlySet<string> = new Set(["read", "search"]);

/** What an agent asks about, by the kind of its tool. */
const doings: Readonly<Record<string, string>> = {
  read: "reads something",
  edit: "changes a file",
  delete: "deletes something",
  move: "moves something",
  search: "searches",
  execute: "runs something",
  fetch: "fetches something",
  switch_mode: "changes its mode",
};

function whyAsked(call: ToolCall): string {
  const { agent } = call;
  if (agent) return `${agent.name} asks before it ${(Object.hasOwn(doings, agent.kind) && doings[agent.kind]) || "uses a tool"}`;
  if (isForeign(call)) return `${call.toolName} belongs to an MCP server`;
  return call.toolName === toolNames.runCommand ? "it runs a program" : `${call.toolName} may change something`;
}
