// Rules as the configuration writes them: `{tool, match?, decision}`. How they are read: a rule that denies
// and matches always wins; among the others the last one that matches decides. Patterns are those of
// glob.ts, and cover a value whole. A path is matched by its name inside the roots and by where links lead;
// a list, given one pattern, by each of its members. A rule that allows must match all of them, one that
// asks or denies only one: a doubt never opens a door.

import { HawserError, isRecord, limits } from "@hawser/wire";
import { matchesGlob, toLiteralGlob } from "../tools/files/glob.ts";

export type Decision = "allow" | "ask" | "deny";

export interface PermissionRule {
  /** The tool's name, or a pattern such as `github__*`. */
  readonly tool: string;
  /** Members of the input and what they must look like. A list of patterns is compared one by one; `**` at its end takes any rest. */
  readonly match?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly decision: Decision;
}

/** Allows a program with any arguments. */
export const toCommandRule = (name: string): PermissionRule => ({
  tool: "run_command",
  match: { command: toLiteralGlob(name) },
  decision: "allow",
});

/** One member of the input in every form that it is known by (a path has two names where links lead elsewhere); each form is a list of texts. */
export type ValuesOf = (member: string) => readonly (readonly string[])[] | undefined;

export function matchesRule(rule: PermissionRule, toolName: string, valuesOf: ValuesOf): boolean {
  if (!matchesGlob(rule.tool, toolName)) return false;
  return Object.entries(rule.match ?? {}).every(([member, pattern]) => matchesValues(pattern, valuesOf(member), rule.decision));
}

function matchesValues(pattern: string | readonly string[], forms: ReturnType<ValuesOf>, decision: Decision): boolean {
  if (!forms || forms.length === 0) return false;
  const matchesForm = (form: readonly string[]): boolean =>
    typeof pattern === "string" ? matchesMembers(pattern, form, decision) : isSequence(pattern, form, decision);
  return decision === "allow" ? forms.every(matchesForm) : forms.some(matchesForm);
}

function matchesMembers(pattern: string, values: readonly string[], decision: Decision): boolean {
  const matches = (value: string): boolean => matchesText(pattern, value, decision);
  return decision === "allow" ? values.length > 0 && values.every(matches) : values.some(matches);
}

function isSequence(patterns: readonly string[], values: readonly string[], decision: Decision): boolean {
  const takesRest = patterns.at(-1) === "**";
  const fixed = takesRest ? patterns.slice(0, -1) : patterns;
  if (takesRest ? values.length < fixed.length : values.length !== fixed.length) return false;
  return fixed.every((pattern, position) => matchesText(pattern, values[position] as string, decision));
}

function matchesText(pattern: string, value: string, decision: Decision): boolean {
  return value.length > limits.permissionValueChars ? decision !== "allow" : matchesGlob(pattern, value);
}

/** Throws `usage` that names the rule, as `nameOf` has it, and what is wrong with it. */
export function parseRules(value: unknown, nameOf = (position: number): string => `permissions[${position}]`): PermissionRule[] {
  if (!Array.isArray(value)) throw new HawserError("usage", "permissions must be a list of rules");
  if (value.length > limits.permissionRuleEntries)
    throw new HawserError("usage", `more than ${limits.permissionRuleEntries} permission rules`);
  return value.map((rule: unknown, position) => parseRule(rule, nameOf(position)));
}

const members: ReadonlySet<string> = new Set(["tool", "match", "decision"]);

/** Throws `usage` that says what is wrong with the rule at `where`. */
export function parseRule(rule: unknown, where: string): PermissionRule {
  const refuse = (problem: string): HawserError => new HawserError("usage", `${where} ${problem}`);
  if (!isRecord(rule)) throw refuse("is no object");
  const unknown = Object.keys(rule).find((member) => !members.has(member));
  if (unknown !== undefined) throw refuse(`has an unknown member ${JSON.stringify(unknown)}; there are tool, match and decision`);
  const { tool, match = {}, decision } = rule;
  if (!isPattern(tool)) throw refuse("needs `tool`: the name of a tool, or a pattern");
  if (decision !== "allow" && decision !== "ask" && decision !== "deny") throw refuse("needs `decision`: allow, ask or deny");
  if (!isRecord(match)) throw refuse("has a `match` that is no object");
  for (const [member, pattern] of Object.entries(match)) {
    const isFine = Array.isArray(pattern) ? pattern.every(isText) : isPattern(pattern);
    if (!isFine) throw refuse(`has a match.${member} that is neither a pattern nor a list of patterns`);
  }
  return { tool, decision, match: match as NonNullable<PermissionRule["match"]> };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= limits.permissionPatternChars;
const isPattern = (value: unknown): value is string => isText(value) && value !== "";

/** A rule in one line, for reasons and the audit log. */
export function describeRule({ tool, match = {}, decision }: PermissionRule): string {
  const details = Object.entries(match).map(([member, pattern]) => `${member}: ${JSON.stringify(pattern)}`);
  return `${decision} ${tool}${details.length > 0 ? ` {${details.join(", ")}}` : ""}`;
}
