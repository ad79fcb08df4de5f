// A process changes links as fast as it can while tools run: what a rule denies is never read, listed or written, and
// what the user has allowed is the file that the question named.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PermissionRule } from "../../src/rules/permission-rule.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { createDecidedTools } from "../permissions/decided-tools.ts";

const flipper = `
const fs = require("node:fs");
process.chdir(process.argv[1]);
const flip = (link, target) => { fs.symlinkSync(target, ".new"); fs.renameSync(".new", link); };
process.stdout.write("ready");
for (;;) for (const folder of ["secret", "pub"]) {
  flip("file", folder + "/a.txt");
  flip("folder", folder);
}`;

const rounds = process.env["HAWSER_LONG"] ? 2_000 : 120;
const canary = "canary-51c2";
const denied: PermissionRule[] = [
  { tool: "*", match: { path: "secret" }, decision: "deny" },
  { tool: "*", match: { path: "secret/**" }, decision: "deny" },
];

let root: string;
let attacker: ChildProcess;
let exited: Promise<unknown>;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hawser-flip-")));
  for (const folder of ["pub", "secret"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "pub/a.txt"), "plain");
  writeFileSync(join(root, "secret/a.txt"), canary);
  writeFileSync(join(root, "secret/name-of-canary"), canary);
  attacker = spawn(process.execPath, ["-e", flipper, root], { stdio: ["ignore", "pipe", "inherit"] });
  exited = once(attacker, "exit");
  await once(attacker.stdout as NonNullable<typeof attacker.stdout>, "data");
});
afterEach(async () => {
  attacker.kill("SIGKILL");
  await exited;
  rmSync(root, { recursive: true, force: true });
});

describe("links that change while tools run", () => {
  it("G17: what a rule denies is never read, listed, searched or written", { timeout: 300_000 }, async () => {
    const tools = createDecidedTools([{ tool: "*", decision: "allow" }, ...denied], { roots: await createRoots([root]) });
    const counts = { done: 0, denied: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const results = await Promise.all([
        tools.run("read_file", { path: "file" }),
        tools.run("read_file", { path: "folder/a.txt" }),
        tools.run("write_file", { path: "file", content: "plain" }),
        tools.run("write_file", { path: `folder/new-${round % 5}`, content: "plain" }),
        tools.run("edit_file", { path: "folder/a.txt", oldText: "a", newText: "A", replaceAll: true }),
        tools.run("list_files", { path: "folder" }),
        tools.run("search_files", { path: "folder", pattern: "canary" }),
        tools.run("search_files", { path: "file", pattern: "canary" }),
      ]);
      expect(JSON.stringify(results)).not.toContain("canary");
      for (const { isError, error } of results) counts[!isError ? "done" : error?.startsWith("denied") ? "denied" : "refused"]++;
    }
    expect(readFileSync(join(root, "secret/a.txt"), "utf8")).toBe(canary);
    expect(readdirSync(join(root, "secret"))).toEqual(["a.txt", "name-of-canary"]);
    // Both have happened, or there was no race.
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.denied).toBeGreaterThan(0);
  });

  it("G17: an approval writes the file that the question named, or none", { timeout: 300_000 }, async () => {
    const tools = createDecidedTools([], { roots: await createRoots([root]) });
    const written = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const before = readBoth();
      const { isError, result } = await tools.run("write_file", { path: "file", content: `round ${round}` });
      const named = /leads through a link to (\S+)\./.exec(tools.questions.at(-1) ?? "")?.[1] as keyof typeof before;
      expect(readBoth()).toEqual(isError ? before : { ...before, [named]: `round ${round}` });
      if (!isError) written.add((result as { path: string }).path);
    }
    expect(tools.questions).toHaveLength(rounds);
    expect(written.size).toBeGreaterThan(0);
  });
});

const readBoth = (): Record<"pub/a.txt" | "secret/a.txt", string> => ({
  "pub/a.txt": readFileSync(join(root, "pub/a.txt"), "utf8"),
  "secret/a.txt": readFileSync(join(root, "secret/a.txt"), "utf8"),
});
