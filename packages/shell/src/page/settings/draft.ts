// Settings while they are edited: texts as a person types them. Back from texts to settings, what is wrong is
// said by the field, in a sentence.

import { HawserError, isRecord } from "@hawser/wire";
import type { DesktopSettings, PermissionRule } from "../links/desktop.ts";
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
    rules: settings.permissionRules.map(({ tool, decision, match = {} }, key) => ({
      key,
      tool,
      decision,
      match: Object.keys(match).length === 0 ? "" : JSON.stringify(match),
    })),
    shortcut: settings.shortcut,
    theme: settings.theme,
  };
}

/** Throws `usage` with a sentence that names the field. */
export function fromDraft({ model, roots, allowedCommands, rules, shortcut, theme }: SettingsDraft): DesktopSettings {
  return {
    ...(model.trim() !== "" && { model: model.trim() }),
    roots: toLines(roots),
    allowedCommands: toLines(allowedCommands),
    permissionRules: rules.filter(({ tool, match }) => tool.trim() !== "" || match.trim() !== "").map(toRule),
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

function toRule({ tool, decision, match }: RuleDraft, position: number): PermissionRule {
  const where = `Rule ${position + 1}`;
  if (tool.trim() === "") throw new HawserError("usage", `${where} needs the name of a tool, or a pattern such as read_*.`);
  if (match.trim() === "") return { tool: tool.trim(), decision };
  const value = parseOrUndefined(match);
  const isPattern = (item: unknown): boolean =>
    typeof item === "string" || (Array.isArray(item) && item.every((one) => typeof one === "string"));
  if (!isRecord(value) || !Object.values(value).every(isPattern))
    throw new HawserError("usage", `${where}: what it matches must be JSON such as {"path": "docs/**"}, or nothing.`);
  return { tool: tool.trim(), decision, match: value as NonNullable<PermissionRule["match"]> };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
