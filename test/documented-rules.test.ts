// The permission rules that the documentation and the help show: people copy them, so each of them is a rule, none
// that allows a command leaves room for an option, and the push that they deny is denied wherever it stands.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPolicy } from "../packages/agent/src/permissions/create-policy.ts";
import { parseRules, type PermissionRule } from "../packages/agent/src/rules/permission-rule.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Shown {
  readonly permissions?: unknown;
  readonly permissionRules?: unknown;
}

/** What the blocks of JSON on a page, or the lines of a help text, show as rules. */
function rulesIn(path: string): PermissionRule[] {
  const text = read(path);
  const blocks = path.endsWith(".md") ? [...text.matchAll(/```json\n(.*?)```/gs)] : [...text.matchAll(/^ *(\{"permissions":.*\})`?;?$/gm)];
  const shown = blocks.map(([, block = ""]) => JSON.parse(block) as Shown | unknown[]);
  const lists = shown.map((value) => (Array.isArray(value) ? value : (value.permissions ?? value.permissionRules)));
  return lists.flatMap((list) => (list === undefined ? [] : parseRules(list)));
}

const pages = ["docs/agent/permissions.md", "docs/agent/configuration.md", "docs/desktop/README.md"];
const help = "packages/hawser/src/agent/flags.ts";

const decide = (rules: readonly PermissionRule[], args: readonly string[]): string =>
  createPolicy({ rules }).decide({
    conversationId: "c",
    toolId: "t",
    toolName: "run_command",
    input: { command: "git", args },
    isReadOnly: false,
  }).decision;

describe("rules in the documentation", () => {
  it.each([...pages, help])("%s allows exact commands only", (path) => {
    const allowed = rulesIn(path).filter(({ tool, decision }) => tool === "run_command" && decision === "allow");
    expect(allowed.length).toBeGreaterThan(0);
    for (const { match } of allowed) {
      expect(match?.["args"]).toBeInstanceOf(Array);
      expect(JSON.stringify(match)).not.toMatch(/[*?]/);
    }
  });

  it.each(pages)("%s: a file is not written by an option without a question, and a push is denied wherever it stands", (path) => {
    const rules = rulesIn(path);
    for (const args of [["push"], ["-C", ".", "push"], ["--no-pager", "push", "--force"]]) expect(decide(rules, args)).toBe("deny");
    for (const args of [
      ["log", "--output=/tmp/x"],
      ["status", "--output=x"],
      ["-C", ".", "status"],
    ])
      expect(decide(rules, args)).toBe("ask");
    expect(decide(rules, ["status"])).toBe("allow");
  });
});
