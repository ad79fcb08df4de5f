// Remembered answers: none is lost, none spoils the others, and the user knows what is remembered.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createPolicy } from "../../src/permissions/create-policy.ts";
import type { ToolCall } from "../../src/permissions/policy.ts";
import { openRulesFile } from "../../src/permissions/rules-file.ts";
import type { PermissionRule } from "../../src/rules/permission-rule.ts";

const program = fileURLToPath(new URL("../fixtures/permission-answers.ts", import.meta.url));

let base: string;
let path: string;
let said: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "hawser-rules-"));
  path = join(base, "permissions.json");
  said = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

const allow = (tool: string): PermissionRule => ({ tool, match: {}, decision: "allow" });
const entriesIn = (file: string): { tool: string }[] =>
  (JSON.parse(readFileSync(file, "utf8")) as { permissions: { tool: string }[] }).permissions;
const command = (args: readonly string[]): ToolCall => ({
  conversationId: "c1",
  toolId: "t1",
  toolName: "run_command",
  input: { command: "git", args },
  isReadOnly: false,
});

describe("several processes", () => {
  it("that remember eight answers each at once lose none of them", async () => {
    const names = ["a", "b", "c", "d"];
    const processes = names.map((name) =>
      spawn(process.execPath, ["--conditions=hawser-source", program, path, name], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    onTestFinished(() => processes.forEach((one) => one.kill("SIGKILL")));
    await Promise.all(processes.map((one) => once(one.stdout, "data")));
    const ended = processes.map((one) => once(one, "exit"));
    for (const one of processes) one.stdin.end("go\n");
    expect((await Promise.all(ended)).map(([code]) => code as unknown)).toEqual([0, 0, 0, 0]);
    const all = names.flatMap((name) => Array.from({ length: 8 }, (_, count) => `${name}-${count}`));
    expect(
      entriesIn(path)
        .map(({ tool }) => tool)
        .sort(),
    ).toEqual(all);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(base)).toEqual(["permissions.json"]);
  });

  it("that remember the same write it once", async () => {
    const files = [await openRulesFile(path), await openRulesFile(path)];
    for (const file of files) file.append(allow("a"));
    await Promise.all(files.map((file) => file.close()));
    expect(entriesIn(path)).toEqual([allow("a")]);
  });
});

describe("a file that is not as it should be", () => {
  it("as a whole allows nothing, is left as it is, and stderr and the question say so", async () => {
    for (const content of ["{", '{"permissions": 5}', "x".repeat(agentLimits.permissionFileBytes + 1)]) {
      writeFileSync(path, content);
      const file = await openRulesFile(path);
      expect(file.rules()).toEqual([]);
      const policy = createPolicy({ remembered: file });
      const call = command(["status"]);
      expect(policy.decide(call).reason).toContain(`in this conversation only: ${path} can't be used`);
      expect(policy.allowAlways(call)).toBe(true);
      expect(policy.decide(call).decision).toBe("allow");
      await file.close();
      expect(readFileSync(path, "utf8")).toBe(content);
    }
    expect(said).toHaveLength(3);
  });

  it("in one entry costs that entry alone, which stays in the file as it is", async () => {
    const odd = [{ tool: "b", match: { path: "x".repeat(2_000) }, decision: "allow" }, 5, { tool: "c", decision: "maybe" }];
    writeFileSync(path, JSON.stringify({ note: "mine", permissions: [allow("a"), ...odd, allow("d")] }));
    const file = await openRulesFile(path);
    expect(file.rules()).toEqual([allow("a"), allow("d")]);
    expect(said.join("")).toMatch(
      /permissions\[1\] has a match\.path.*\n.*permissions\[2\] is not an object.*\n.*permissions\[3\] needs `decision`/,
    );
    file.append(allow("e"));
    await file.close();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ note: "mine", permissions: [allow("a"), ...odd, allow("d"), allow("e")] });
  });

  it("since it is full takes no more, and the question says so before it is answered", async () => {
    const full = Array.from({ length: agentLimits.permissionRuleEntries }, (_, count) => allow(`t${count}`));
    writeFileSync(path, JSON.stringify({ permissions: full }));
    const file = await openRulesFile(path);
    expect(file.rules()).toHaveLength(agentLimits.permissionRuleEntries);
    expect(createPolicy({ remembered: file }).decide(command(["status"])).reason).toContain(
      "in this conversation only: the file of remembered answers is full",
    );
    file.append(allow("e"));
    await file.close();
    expect(entriesIn(path)).toHaveLength(agentLimits.permissionRuleEntries);
  });

  it("since another process has filled it takes no more, and the next question says so", async () => {
    const almost = Array.from({ length: agentLimits.permissionRuleEntries - 1 }, (_, count) => allow(`t${count}`));
    writeFileSync(path, JSON.stringify({ permissions: almost }));
    const [first, second] = [await openRulesFile(path), await openRulesFile(path)];
    for (const [file, tool] of [
      [first, "d"],
      [second, "e"],
    ] as const) {
      file.append(allow(tool));
      await file.close();
    }
    expect(entriesIn(path)).toEqual([...almost, allow("d")]);
    expect(createPolicy({ remembered: second }).decide(command(["status"])).reason).toContain("the file of remembered answers is full");
  });
});

describe("an answer that is too long to be remembered", () => {
  it.each([
    ["one argument", ["x".repeat(agentLimits.permissionPatternChars + 1)]],
    ["characters that a pattern writes twice", ["*".repeat(agentLimits.permissionPatternChars - 1)]],
    ["all of them together", Array.from({ length: 100 }, () => "x".repeat(200))],
  ])("because of %s: the question says that it means once, and the file stays readable", async (_name, args) => {
    const file = await openRulesFile(path);
    const policy = createPolicy({ remembered: file });
    const long = command(args);
    expect(policy.decide(long).reason).toContain(
      '"Always allow" is not remembered for this call and means once: its input is too long to be remembered',
    );
    expect(policy.allowAlways(long)).toBe(false);
    expect(policy.decide(long).decision).toBe("ask");
    const short = command(["status"]);
    policy.decide(short);
    expect(policy.allowAlways(short)).toBe(true);
    await file.close();
    expect(said).toEqual([]);
    expect((await openRulesFile(path)).rules()).toHaveLength(1);
  });
});
