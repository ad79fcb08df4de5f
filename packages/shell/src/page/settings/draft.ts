// Settings while they are edited: texts as a person types them, even where the file is wrong. Back from texts to
// settings, what is wrong is said by the field, in a sentence; rules that the agent would not start with are
// refused by its own check, in its own words.

import { parseRules, type PermissionRule } from "@hawser/agent/host/link";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { orUndefined } from "../../or-undefined.ts";
import type { DesktopSettings } from "../links/desktop.ts";
import type { Theme } from "../session/theme.ts";

export interface RuleDraft {
  /** Stays with the rule while others come and go. */
  readonly key: number;
  readonly tool: string;
  readonly decision: PermissionRule["decision"];
  /** Members of the input and their patterns, as JSON; empty for any input. */
  readonly match: string;
}

export interface SettingsDraft {
  readonly model: string;
  /** One in a line. */
  readonly roots: string;
  readonly allowedCommands: string;
  readonly rules: readonly RuleDraft[];
  readonly shortcut: string;
  readonly theme: Theme;
}

export function toDraft(settings: DesktopSettings): SettingsDraft {
  return {
    model: settings.model ?? "",
    roots: settings.roots.join("\n"),
    allowedCommands: settings.allowedCommands.join("\n"),
    rules: settings.permissionRules.map(toRuleDraft),
    shortcut: settings.shortcut,
    theme: settings.theme,
  };
}

export const decisions: readonly PermissionRule["decision"][] = ["allow", "ask", "deny"];

/** Of a file that was written by hand, a rule may be anything: what can't be one is shown, to be changed or removed. */
function toRuleDraft(rule: unknown, key: number): RuleDraft {
  const { tool, decision, match = {} } = isRecord(rule) ? rule : { match: rule };
  const isForAny = isRecord(match) && Object.keys(match).length === 0;
  return {
    key,
    tool: typeof tool === "string" ? tool : "",
    decision: decisions.find((known) => known === decision) ?? "ask",
    match: isForAny ? "" : JSON.stringify(match),
  };
}

/** Throws `usage` with a sentence that names the field. */
export function fromDraft({ model, roots, allowedCommands, rules, shortcut, theme }: SettingsDraft): DesktopSettings {
  return {
    ...(model.trim() !== "" && { model: model.trim() }),
    roots: toLines(roots),
    allowedCommands: toLines(allowedCommands),
    permissionRules: toRules(rules),
    shortcut: shortcut.trim(),
    theme,
  };
}

export function addRule(rules: readonly RuleDraft[]): RuleDraft[] {
  return [...rules, { key: Math.max(-1, ...rules.map(({ key }) => key)) + 1, tool: "", decision: "ask", match: "" }];
}

const toLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function toRules(drafts: readonly RuleDraft[]): readonly PermissionRule[] {
  const named = drafts.map((draft, position) => ({ draft, name: `Rule ${position + 1}` }));
  const meant = named.filter(({ draft: { tool, match } }) => tool.trim() !== "" || match.trim() !== "");
  const rules = meant.map(({ draft, name }) => toRule(draft, name));
  parseRules(rules, (position) => meant[position]?.name ?? "");
  return rules;
}

function toRule({ tool, decision, match }: RuleDraft, name: string): PermissionRule {
  if (tool.trim() === "") throw new HawserError("usage", `${name} needs the name of a tool, or a pattern such as read_*.`);
  if (match.trim() === "") return { tool: tool.trim(), decision };
  const value = orUndefined(() => JSON.parse(match) as unknown);
  if (!isRecord(value)) throw new HawserError("usage", `${name}: what it matches must be JSON such as {"path": "docs/**"}, or nothing.`);
  return { tool: tool.trim(), decision, match: value as NonNullable<PermissionRule["match"]> };
}
