// A permission rule as the configuration writes it, `{tool, match?, decision}`, and its check. A page that edits rules
// checks them with the same code, so this folder needs no Node.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";

export type RuleDecision = "allow" | "ask" | "deny";

export interface PermissionRule {
  /** The tool's name, or a pattern such as `github__*`. */
  readonly tool: string;
  /** Members of the input and what they must look like. A list of patterns is compared one by one; `**` at its end takes any rest. */
  readonly match?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly decision: RuleDecision;
}

/** Throws `usage` that names the rule, as `nameOf` has it, and what is wrong with it. */
export function parseRules(value: unknown, nameOf = (position: number): string => `permissions[${position}]`): PermissionRule[] {
  if (!Array.isArray(value)) throw new HawserError("usage", "permissions must be a list of rules");
  if (value.length > agentLimits.permissionRuleEntries)
    throw new HawserError("usage", `more than ${agentLimits.permissionRuleEntries} permission rules`);
  return value.map((rule: unknown, position) => parseRule(rule, nameOf(position)));
}

const members: ReadonlySet<string> = new Set(["tool", "match", "decision"]);

/** Throws `usage` that says what is wrong with the rule at `where`. */
export function parseRule(rule: unknown, where: string): PermissionRule {
  const refuse = (problem: string): HawserError => new HawserError("usage", `${where} ${problem}`);
  if (!isRecord(rule)) throw refuse("is not an object");
  const unknown = Object.keys(rule).find((member) => !members.has(member));
  if (unknown !== undefined) throw refuse(`has an unknown member ${JSON.stringify(unknown)}; there are tool, match and decision`);
  const { tool, match = {}, decision } = rule;
  if (!isPattern(tool)) throw refuse("needs `tool`: the name of a tool, or a pattern");
  if (decision !== "allow" && decision !== "ask" && decision !== "deny") throw refuse("needs `decision`: allow, ask or deny");
  if (!isRecord(match)) throw refuse("has a `match` that is not an object");
  for (const [member, pattern] of Object.entries(match)) {
    const isFine = Array.isArray(pattern) ? pattern.every(isText) : isPattern(pattern);
    if (!isFine) throw refuse(`has a match.${member} that is neither a pattern nor a list of patterns`);
    if (member === "path" && [pattern].flat().some((path) => withoutDots(String(path)) === undefined))
      throw refuse(
        "has a match.path whose `..` leads nowhere; write it without, from the root folder (`src/secret.txt`) or as an absolute path",
      );
  }
  return { tool, decision, match: match as NonNullable<PermissionRule["match"]> };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= agentLimits.permissionPatternChars;
const isPattern = (value: unknown): value is string => isText(value) && value !== "";

/** Undefined when `..` leads out of the root folder, or out of a folder whose name is a pattern. */
export function withoutDots(pattern: string): string | undefined {
  if (!/(?:^|\/)\.{0,2}\//.test(pattern) && !/(?:^|\/)\.{1,2}$/.test(pattern)) return pattern;
  const start = pattern.startsWith("/") ? "/" : "";
  const kept: string[] = [];
  for (const name of pattern.split("/")) {
    if (name === "" || name === ".") continue;
    const last = kept.at(-1);
    if (name !== "..") kept.push(name);
    else if (last === undefined ? start === "" : /[*?]/.test(last)) return undefined;
    else kept.pop();
  }
  return start + kept.join("/") || ".";
}
