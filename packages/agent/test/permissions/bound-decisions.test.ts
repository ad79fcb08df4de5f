// A decision is about a file; between it and the opening, names are made to stand for something else.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PermissionRule } from "../../src/rules/permission-rule.ts";
import { openFolderInside, openInside } from "../../src/tools/files/open-inside.ts";
import type { Permit } from "../../src/tools/files/permit.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { createDecidedTools, type DecidedTools } from "./decided-tools.ts";

const rules: PermissionRule[] = [
  { tool: "*", match: { path: "pub/**" }, decision: "allow" },
  { tool: "*", match: { path: "link" }, decision: "allow" },
  { tool: "*", match: { path: "secret" }, decision: "deny" },
  { tool: "*", match: { path: "secret/**" }, decision: "deny" },
];
const refused = /is not what was decided about/;

let base: string;
const at = (path: string): string => join(base, "root", path);
const get = (path: string): string => readFileSync(at(path), "utf8");
/** As a link is replaced without a gap. */
function pointTo(target: string, link = "link"): void {
  symlinkSync(target, at("new-link"));
  renameSync(at("new-link"), at(link));
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-bound-")));
  for (const folder of ["pub", "secret"]) {
    mkdirSync(at(folder), { recursive: true });
    writeFileSync(at(`${folder}/a.txt`), `content of ${folder}`);
  }
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe.each([true, false])("decisions are bound to what is opened (paths of descriptors: %s)", (hasDescriptorPaths) => {
  let tools: DecidedTools;
  const begin = async (some: readonly PermissionRule[] = rules, allowedCommands: string[] = []): Promise<void> => {
    const roots = await createRoots([join(base, "root")], { hasDescriptorPaths });
    tools = createDecidedTools(some, { roots, allowedCommands });
  };

  it("G13 a rule whose path is a list counts for both names of a link, too", async () => {
    pointTo("secret/a.txt");
    await begin([{ tool: "*", match: { path: ["secret/a.txt"] }, decision: "deny" }]);
    expect(JSON.stringify(await tools.run("read_file", { path: "link" }))).not.toContain("content of secret");
    pointTo("pub/a.txt");
    expect(JSON.stringify(await tools.run("read_file", { path: "link" }))).toContain("content of pub");
  });

  it.each([
    ["read_file", {}],
    ["edit_file", { oldText: "content", newText: "changed" }],
    ["write_file", { content: "changed" }],
    ["search_files", { pattern: "content" }],
  ])("G17: %s: a link that leads to a denied file after the decision is refused", async (tool, input) => {
    await begin();
    pointTo("pub/a.txt");
    expect(await tools.run(tool, { path: "link", ...input })).not.toHaveProperty("isError");
    const kept = get("pub/a.txt");
    tools.afterDecision = () => pointTo("secret/a.txt");
    pointTo("pub/a.txt");
    const result = await tools.run(tool, { path: "link", ...input });
    expect(result.error).toMatch(refused);
    expect(JSON.stringify(result)).not.toContain("content of secret");
    expect([get("pub/a.txt"), get("secret/a.txt")]).toEqual([kept, "content of secret"]);
  });

  it.each([
    ["list_files", {}],
    ["search_files", { pattern: "content" }],
  ])("G17: %s: a link that leads to a denied folder after the decision is refused", async (tool, input) => {
    await begin();
    pointTo("pub");
    expect(await tools.run(tool, { path: "link", ...input })).not.toHaveProperty("isError");
    tools.afterDecision = () => pointTo("secret");
    expect((await tools.run(tool, { path: "link", ...input })).error).toMatch(refused);
  });

  it("G17: an approval for one file does not write another one, and the question says where the link leads", async () => {
    await begin([]);
    pointTo("pub/a.txt");
    tools.whileAsked = () => pointTo("secret/a.txt");
    const result = await tools.run("write_file", { path: "link", content: "changed" });
    expect(tools.questions).toEqual([expect.stringContaining("leads through a link to pub/a.txt")]);
    expect(result.error).toMatch(refused);
    expect([get("pub/a.txt"), get("secret/a.txt")]).toEqual(["content of pub", "content of secret"]);
  });

  it.each([
    ["read_file", {}],
    ["write_file", { content: "changed" }],
  ])("G17: %s: another file under the same name is refused", async (tool, input) => {
    await begin();
    tools.afterDecision = () => {
      writeFileSync(at("pub/b.txt"), "another one");
      renameSync(at("pub/b.txt"), at("pub/a.txt"));
    };
    expect((await tools.run(tool, { path: "pub/a.txt", ...input })).error).toMatch(refused);
    expect(get("pub/a.txt")).toBe("another one");
    tools.afterDecision = undefined;
    expect((await tools.run(tool, { path: "pub/a.txt", ...input })).isError).toBeUndefined();
  });

  it("G17: a file that does not exist yet is bound to its folder and its name", async () => {
    await begin();
    const write = (path: string): ReturnType<DecidedTools["run"]> => tools.run("write_file", { path, content: "new" });
    tools.afterDecision = () => {
      renameSync(at("pub"), at("moved"));
      mkdirSync(at("pub"));
    };
    expect((await write("pub/deep/er/new.txt")).error).toMatch(refused);
    expect([existsSync(at("pub/deep")), existsSync(at("moved/deep"))]).toEqual([false, false]);

    tools.afterDecision = () => pointTo("../secret", "pub/deep");
    expect((await write("pub/deep/er/new.txt")).error).toMatch(refused);
    expect(existsSync(at("secret/er"))).toBe(false);

    tools.afterDecision = () => writeFileSync(at("pub/new.txt"), "somebody else's");
    expect((await write("pub/new.txt")).error).toMatch(refused);
    expect(get("pub/new.txt")).toBe("somebody else's");

    tools.afterDecision = () => rmSync(at("pub/new.txt"));
    expect((await write("pub/new.txt")).error).toMatch(/not what was decided about|does not exist/);
    tools.afterDecision = undefined;
    expect(await write("pub/other/new.txt")).toMatchObject({ result: { created: true } });
  });

  it("G17: a link that stands for less of the path by then does not put a new file elsewhere", async () => {
    await begin();
    tools.afterDecision = () => pointTo(".", "pub/deep");
    expect((await tools.run("write_file", { path: "pub/deep/new.txt", content: "new" })).error).toMatch(refused);
    expect(existsSync(at("pub/new.txt"))).toBe(false);
  });

  it("G17: the same file or folder at another place by then is refused, since that may be one that is denied", async () => {
    await begin();
    pointTo("pub/a.txt");
    tools.afterDecision = () => {
      renameSync(at("pub/a.txt"), at("secret/moved.txt"));
      pointTo("secret/moved.txt");
    };
    expect((await tools.run("read_file", { path: "link" })).error).toMatch(refused);

    mkdirSync(at("pub/inner"));
    pointTo("pub/inner");
    tools.afterDecision = () => {
      renameSync(at("pub/inner"), at("secret/inner"));
      pointTo("secret/inner");
    };
    expect((await tools.run("write_file", { path: "link/new.txt", content: "new" })).error).toMatch(refused);
    expect(existsSync(at("secret/inner/new.txt"))).toBe(false);
  });

  it("G17: a command runs in the folder that was decided about, or not at all", async () => {
    await begin([{ tool: "run_command", decision: "allow" }], ["sh"]);
    const run = (): ReturnType<DecidedTools["run"]> => tools.run("run_command", { command: "sh", args: ["-c", "pwd; echo ran > ran"] });
    expect(await run()).toMatchObject({ result: { exitCode: 0, stdout: `${join(base, "root")}\n` } });
    rmSync(at("ran"));
    tools.afterDecision = () => {
      renameSync(at("."), join(base, "old"));
      mkdirSync(at("."));
    };
    expect((await run()).error).toMatch(refused);
    expect([existsSync(at("ran")), existsSync(join(base, "old/ran"))]).toEqual([false, false]);
  });
});

it("G17: nothing is opened for a decision about a path that could not be looked at", async () => {
  const roots = await createRoots([join(base, "root")]);
  const permit: Permit = { target: undefined, judge: () => "allow" };
  await expect(openInside(roots, "pub/a.txt", permit)).rejects.toThrow(refused);
  await expect(openFolderInside(roots, "pub", permit)).rejects.toThrow(refused);
});
