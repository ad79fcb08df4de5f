// Searches and listings meet files that their call does not name: the rules count for each of them.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAttachment } from "../../src/attachments/read-attachments.ts";
import type { PermissionRule } from "../../src/rules/permission-rule.ts";
import { createRoots, type Roots } from "../../src/tools/files/roots.ts";
import { createDecidedTools, type DecidedTools } from "./decided-tools.ts";

let root: string;
let roots: Roots;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hawser-walk-")));
  for (const path of [".env", "src/.env", "src/a.ts", "src/private/b.ts", "readme"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `word in ${path}`);
  }
  roots = await createRoots([root]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const toolsWith = (...rules: PermissionRule[]): DecidedTools => createDecidedTools(rules, { roots });
const search = async (tools: DecidedTools, input: object = {}): Promise<{ paths: string[]; leftOut: unknown }> => {
  const { result } = await tools.run("search_files", { pattern: "word", ...input });
  const { matches, leftOut } = result as { matches: { path: string }[]; leftOut?: unknown };
  return { paths: matches.map(({ path }) => path), leftOut };
};
const list = async (tools: DecidedTools, input: object = {}): Promise<unknown> =>
  (await tools.run("list_files", { recursive: true, ...input })).result;

describe("every file of a search is judged", () => {
  it.each(["read_file", "search_files", "*"])("what a rule denies to %s does not come out of it, and is counted", async (tool) => {
    const tools = toolsWith({ tool, match: { path: "**/.env" }, decision: "deny" });
    expect(await search(tools)).toEqual({ paths: ["readme", "src/a.ts", "src/private/b.ts"], leftOut: { denied: 2 } });
    expect(await search(tools, { glob: "*.ts" })).toEqual({ paths: [], leftOut: undefined });
    const one = await tools.run("search_files", { pattern: "word", path: ".env" });
    expect(JSON.stringify(one)).not.toContain("word in");
  });

  it("what would ask is not read without an answer, and is counted", async () => {
    const tools = toolsWith({ tool: "read_file", match: { path: "src/private/**" }, decision: "ask" });
    expect(await search(tools, { path: "src" })).toEqual({ paths: ["src/.env", "src/a.ts"], leftOut: { needApproval: 1 } });
    expect(tools.questions).toEqual([]);
  });

  it("what the question about the search itself has settled is not asked again", async () => {
    const tools = toolsWith({ tool: "*", decision: "ask" });
    expect((await search(tools, { path: "src" })).paths).toEqual(["src/.env", "src/a.ts", "src/private/b.ts"]);
    expect(tools.questions).toHaveLength(1);
    const allowed = toolsWith({ tool: "*", decision: "ask" }, { tool: "search_files", match: { path: "src" }, decision: "allow" });
    expect((await search(allowed, { path: "src" })).paths).toHaveLength(3);
    expect(allowed.questions).toEqual([]);
  });

  it("a folder that is denied is not entered, and a link to a folder counts by both of its names", async () => {
    const tools = toolsWith({ tool: "search_files", match: { path: "src/private" }, decision: "deny" });
    expect(await search(tools)).toEqual({ paths: [".env", "readme", "src/.env", "src/a.ts"], leftOut: { denied: 1 } });
    symlinkSync("src", join(root, "alias"));
    const byAlias = toolsWith({ tool: "read_file", match: { path: "alias/*.ts" }, decision: "deny" });
    expect(await search(byAlias, { path: "alias" })).toEqual({ paths: ["src/.env", "src/private/b.ts"], leftOut: { denied: 1 } });
  });
});

describe("every name of a listing is judged", () => {
  it("what a rule denies to list_files, or would ask about, is left out and counted", async () => {
    const tools = toolsWith(
      { tool: "*", match: { path: "**/.env" }, decision: "deny" },
      { tool: "list_files", match: { path: "src/private" }, decision: "ask" },
    );
    expect(await list(tools)).toEqual({
      path: ".",
      files: ["readme", "src/", "src/a.ts"],
      leftOut: { denied: 2, needApproval: 1 },
    });
  });

  it("a file that may only not be read keeps its name", async () => {
    const tools = toolsWith({ tool: "read_file", match: { path: "**/.env" }, decision: "deny" });
    expect(await list(tools, { recursive: false })).toEqual({ path: ".", files: [".env", "readme", "src/"] });
  });
});

describe("attachments", () => {
  const attach = async (tools: DecidedTools, path: string, isEarlier = false): Promise<string> => {
    const { handle, shown } = await openAttachment(path, { roots, policy: tools.policy, isEarlier });
    await handle.close();
    return shown;
  };

  it("a rule that denies reading wins over the user's own attachment, by either name; one that asks is answered by it", async () => {
    symlinkSync(".env", join(root, "notes.txt"));
    const denied = toolsWith({ tool: "read_file", match: { path: ".env" }, decision: "deny" });
    for (const path of [".env", "notes.txt"]) await expect(attach(denied, path)).rejects.toThrow('the rule "deny read_file');
    expect(await attach(denied, "readme")).toBe("readme");
    expect(await attach(toolsWith({ tool: "*", decision: "ask" }), ".env")).toBe(".env");
  });

  it("G17: with later messages it is not read through a link, which may lead elsewhere by then", async () => {
    symlinkSync("readme", join(root, "link"));
    expect(await attach(toolsWith(), "link")).toBe("readme");
    await expect(attach(toolsWith(), "link", true)).rejects.toThrow("leads through a link");
    expect(await attach(toolsWith(), "readme", true)).toBe("readme");
  });
});
