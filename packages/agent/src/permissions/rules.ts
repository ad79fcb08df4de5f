// What a rule matches: a rule that denies and matches always wins; among the others the last one that matches
// decides. Patterns are those of glob.ts, and cover a value whole. A path is matched by its name inside the roots and
// by where links lead; a list, given one pattern, by each of its members. A rule that allows must match all of them,
// one that asks or denies only one: a doubt never opens a door.

import { agentLimits } from "../limits.ts";
import { withoutDots, type PermissionRule, type RuleDecision } from "../rules/permission-rule.ts";
import { matchesGlob, toLiteralGlob } from "../tools/files/glob.ts";
import { toolNames } from "../tools/tool-table.ts";

/** Allows a program with any arguments. */
export const toCommandRule = (name: string): PermissionRule => ({
  tool: toolNames.runCommand,
  match: { command: toLiteralGlob(name) },
  decision: "allow",
});

/**
 * One member of the input in every form that it is known by (a path has two names where links lead elsewhere); each form is a list of
 * texts. `isAbsolute`: the rule's path is, so the names have to be.
 */
export type ValuesOf = (member: string, isAbsolute: boolean) => readonly (readonly string[])[] | undefined;

export function matchesRule(rule: PermissionRule, toolName: string, valuesOf: ValuesOf): boolean {
  if (!matchesGlob(rule.tool, toolName)) return false;
  return conditionsOf(rule).every(({ member, pattern, isAbsolute }) => matchesValues(pattern, valuesOf(member, isAbsolute), rule.decision));
}

interface Condition {
  readonly member: string;
  readonly pattern: string | readonly string[];
  readonly isAbsolute: boolean;
}

// Rules are asked about every file of a search.
const known = new WeakMap<PermissionRule, readonly Condition[]>();

function conditionsOf(rule: PermissionRule): readonly Condition[] {
  const conditions = known.get(rule) ?? Object.entries(rule.match ?? {}).map(toCondition);
  known.set(rule, conditions);
  return conditions;
}

/** A path in a rule is written as the names of files are seen: `./a`, `a//b` and `b/../a` mean what they say. */
function toCondition([member, written]: [string, string | readonly string[]]): Condition {
  if (member !== "path") return { member, pattern: written, isAbsolute: false };
  if (typeof written !== "string") return { member, pattern: written.map((path) => withoutDots(path) ?? path), isAbsolute: false };
  // `C:/` is the top of a file system too.
  return { member, pattern: withoutDots(written) ?? written, isAbsolute: /^(?:[A-Za-z]:)?\//.test(written) };
}

function matchesValues(pattern: string | readonly string[], forms: ReturnType<ValuesOf> = [], decision: RuleDecision): boolean {
  const matchesEnough = <Value>(values: readonly Value[], matches: (value: Value) => boolean): boolean =>
    decision === "allow" ? values.length > 0 && values.every(matches) : values.some(matches);
  return matchesEnough(forms, (form) =>
    typeof pattern === "string"
      ? matchesEnough(form, (value) => matchesText(pattern, value, decision))
      : isSequence(pattern, form, decision),
  );
}

function isSequence(patterns: readonly string[], values: readonly string[], decision: RuleDecision): boolean {
  const takesRest = patterns.at(-1) === "**";
  const fixed = takesRest ? patterns.slice(0, -1) : patterns;
  if (takesRest ? values.length < fixed.length : values.length !== fixed.length) return false;
  return fixed.every((pattern, position) => matchesText(pattern, values[position] as string, decision));
}

function matchesText(pattern: string, value: string, decision: RuleDecision): boolean {
  return value.length > agentLimits.permissionValueChars ? decision !== "allow" : matchesGlob(pattern, value);
}

/** A rule in one line, for reasons and the audit log. */
export function describeRule({ tool, match = {}, decision }: PermissionRule): string {
  const details = Object.entries(match).map(([member, pattern]) => `${member}: ${JSON.stringify(pattern)}`);
  return `${decision} ${tool}${details.length > 0 ? ` {${details.join(", ")}}` : ""}`;
}
