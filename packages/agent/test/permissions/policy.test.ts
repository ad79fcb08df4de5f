// What is allowed, asked and denied, and what an answer covers.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAuditLog } from "../../src/permissions/audit-log.ts";
import { createPolicy } from "../../src/permissions/create-policy.ts";
import type { ToolCall } from "../../src/permissions/policy.ts";
import { openRulesFile } from "../../src/permissions/rules-file.ts";
import { parseRules, type PermissionRule } from "../../src/rules/permission-rule.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { createRoots, type Roots } from "../../src/tools/files/roots.ts";

let base: string;
let roots: Roots;
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "hawser-policy-")));
  mkdirSync(join(base, "root/src"), { recursive: true });
  roots = await createRoots([join(base, "root")]);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const call = (toolName: string, input: unknown = {}, more: Partial<ToolCall> = {}): ToolCall => ({
  conversationId: "c1",
  toolId: "t1",
  toolName,
  input,
  isReadOnly: ["list_files", "read_file", "search_files"].includes(toolName),
  ...more,
});
const decisionOf = (rules: readonly PermissionRule[], one: ToolCall): string => createPolicy({ rules, roots }).decide(one).decision;

describe("the defaults", () => {
  it("allow what only reads, and ask for everything else", () => {
    const policy = createPolicy({ roots });
    for (const name of ["list_files", "read_file", "search_files"]) expect(policy.decide(call(name)).decision).toBe("allow");
    for (const name of ["write_file", "edit_file", "run_command", "anything", "__proto__"])
      expect(policy.decide(call(name)).decision).toBe("ask");
  });

  it("SEC-04: ask for tools of MCP servers, even if they say that they only read", () => {
    const policy = createPolicy({ roots });
    expect(policy.decide(call("github__read", {}, { isReadOnly: true })).decision).toBe("ask");
    expect(decisionOf([{ tool: "github__*", decision: "allow" }], call("github__read"))).toBe("allow");
  });

  it("SEC-04: with nobody to ask, what would ask is denied and says what to do", () => {
    const policy = createPolicy({ roots, mode: "deny" });
    expect(policy.decide(call("read_file", { path: "a" })).decision).toBe("allow");
    expect(policy.decide(call("write_file", { path: "a" }))).toEqual({
      decision: "deny",
      reason:
        'write_file may change something, and no rule allows it; there is no user to ask here, so it is denied. To allow it, add {"tool":"write_file","match":{"path":"a"},"decision":"allow"} to "permissions" in agent.json',
      via: "mode",
    });
    const rule = { tool: "berth", decision: "allow" } as const;
    expect(policy.decide(call("berth", { ship: "Ada" })).reason).toContain(`add ${JSON.stringify(rule)} to "permissions"`);
    expect(createPolicy({ roots, mode: "deny", rules: [rule] }).decide(call("berth")).decision).toBe("allow");
    // One that nobody could read or use is not shown.
    expect(policy.decide(call("write_file", { path: "a".repeat(400) })).reason).toMatch(
      /A rule among "permissions" in agent\.json can allow it$/,
    );
    const asking = createPolicy({ roots, mode: "deny", rules: [{ tool: "read_file", decision: "ask" }] });
    expect(asking.decide(call("read_file")).decision).toBe("deny");
  });
});

describe("rules", () => {
  it("the last one that matches decides, and one that denies always wins", () => {
    const rules: PermissionRule[] = [
      { tool: "write_file", match: { path: "**/.env" }, decision: "deny" },
      { tool: "write_file", decision: "ask" },
      { tool: "write_file", match: { path: "src/**" }, decision: "allow" },
    ];
    expect(decisionOf(rules, call("write_file", { path: "src/a.ts" }))).toBe("allow");
    expect(decisionOf(rules, call("write_file", { path: "other.ts" }))).toBe("ask");
    expect(decisionOf(rules, call("write_file", { path: "src/.env" }))).toBe("deny");
    expect(
      decisionOf(
        [
          { tool: "*", decision: "allow" },
          { tool: "read_*", decision: "ask" },
        ],
        call("read_file"),
      ),
    ).toBe("ask");
  });

  it("see a path by its name inside the root, however it is written", () => {
    const rules: PermissionRule[] = [{ tool: "write_file", match: { path: "src/**" }, decision: "allow" }];
    for (const path of ["src/a", "./src//a", "src/x/../a", join(base, "root/src/a")])
      expect(decisionOf(rules, call("write_file", { path }))).toBe("allow");
    for (const path of ["src/../a", "src", "srcx/a", "../src/a", `${base}/src/a`, "src/../../root/b", 5, null]) {
      expect(decisionOf(rules, call("write_file", { path }))).toBe("ask");
    }
  });

  it("match a path however the rule writes it: with `./`, doubled slashes, `..`, or as an absolute path inside the root", async () => {
    symlinkSync("root", join(base, "linked"));
    const [inRoot, byLink] = [join(base, "root"), join(base, "linked")];
    roots = await createRoots([byLink]);
    const written = ["./src/a.txt", "src//a.txt", "src/./a.txt", "lib/../src/a.txt", `${inRoot}/src/a.txt`, `${byLink}/src/a.txt`];
    for (const path of [...written, "./src/*", `${inRoot}/**`, `${base}/**`, `${byLink}/**/*.txt`]) {
      const deny: PermissionRule[] = [{ tool: "*", match: { path }, decision: "deny" }];
      expect(decisionOf(deny, call("read_file", { path: "src/a.txt" })), path).toBe("deny");
      expect(createPolicy({ rules: deny, roots }).denialOfReading(["src/a.txt"]), path).toBeDefined();
      const allow: PermissionRule[] = [{ tool: "*", match: { path }, decision: "allow" }];
      expect(decisionOf(allow, call("write_file", { path: "./src/a.txt" })), path).toBe("allow");
    }
    for (const path of [`${inRoot}/a.txt`, `${inRoot}-evil/**`, "./a.txt", "/src/a.txt", `${byLink}x/**`])
      expect(decisionOf([{ tool: "*", match: { path }, decision: "deny" }], call("read_file", { path: "src/a.txt" })), path).toBe("allow");
  });

  it("see where a link leads: it must be allowed there too, and denied is denied by either name", () => {
    mkdirSync(join(base, "root/secret"));
    symlinkSync("../secret", join(base, "root/src/link"));
    const allow: PermissionRule[] = [{ tool: "write_file", match: { path: "src/**" }, decision: "allow" }];
    expect(decisionOf(allow, call("write_file", { path: "src/link/new.txt" }))).toBe("ask");
    const deny: PermissionRule[] = [
      { tool: "*", decision: "allow" },
      { tool: "*", match: { path: "secret/**" }, decision: "deny" },
    ];
    expect(decisionOf(deny, call("read_file", { path: "src/link/new.txt" }))).toBe("deny");
    expect(decisionOf(deny, call("read_file", { path: "src/a.txt" }))).toBe("allow");
  });

  it("compare the arguments of a command one by one, or any of them with one pattern", () => {
    const test: PermissionRule[] = [{ tool: "run_command", match: { command: "npm", args: ["test", "**"] }, decision: "allow" }];
    expect(decisionOf(test, call("run_command", { command: "npm", args: ["test"] }))).toBe("allow");
    expect(decisionOf(test, call("run_command", { command: "npm", args: ["test", "--", "x"] }))).toBe("allow");
    expect(decisionOf(test, call("run_command", { command: "npm", args: ["exec", "test"] }))).toBe("ask");
    expect(decisionOf(test, call("run_command", { command: "npm" }))).toBe("ask");
    const none: PermissionRule[] = [{ tool: "run_command", match: { command: "npm", args: [] }, decision: "allow" }];
    expect(decisionOf(none, call("run_command", { command: "npm" }))).toBe("allow");
    expect(decisionOf(none, call("run_command", { command: "npm", args: ["x"] }))).toBe("ask");
    const force: PermissionRule[] = [
      { tool: "run_command", decision: "allow" },
      { tool: "run_command", match: { args: "*--force*" }, decision: "deny" },
    ];
    expect(decisionOf(force, call("run_command", { command: "git", args: ["push", "--force-with-lease"] }))).toBe("deny");
    expect(decisionOf(force, call("run_command", { command: "git", args: ["push"] }))).toBe("allow");
    const status: PermissionRule[] = [{ tool: "run_command", match: { args: "status" }, decision: "allow" }];
    expect(decisionOf(status, call("run_command", { command: "git", args: [] }))).toBe("ask");
    expect(decisionOf(status, call("run_command", { command: "git", args: ["status", "push"] }))).toBe("ask");
  });

  it("in doubt about a long value, allow nothing and let nothing pass", () => {
    const content = "x".repeat(1_000_000);
    expect(decisionOf([{ tool: "t", match: { content: "**" }, decision: "allow" }], call("t", { content }))).toBe("ask");
    const deny: PermissionRule[] = [
      { tool: "t", decision: "allow" },
      { tool: "t", match: { content: "*secret*" }, decision: "deny" },
    ];
    expect(decisionOf(deny, call("t", { content }))).toBe("deny");
  });

  it("that are wrong are refused with their place", () => {
    expect(parseRules([{ tool: "a", decision: "deny", match: { x: ["1", "**"] } }])).toEqual([
      { tool: "a", decision: "deny", match: { x: ["1", "**"] } },
    ]);
    for (const [rules, text] of [
      [{}, "a list of rules"],
      [[5], "permissions[0] is not an object"],
      [
        [
          { tool: "a", decision: "allow" },
          { tool: "", decision: "allow" },
        ],
        "permissions[1] needs `tool`",
      ],
      [[{ tool: "a", decision: "yes" }], "needs `decision`"],
      [[{ tool: "a", decision: "deny", path: "x" }], 'unknown member "path"'],
      [[{ tool: "a", decision: "deny", match: { path: 5 } }], "match.path"],
      [[{ tool: "a", decision: "deny", match: { path: "../x" } }], "write it without, from the root folder"],
      [[{ tool: "a", decision: "deny", match: { path: "**/../x" } }], "whose `..` leads nowhere"],
      [[{ tool: "a", decision: "deny", match: { path: "x".repeat(2_000) } }], "match.path"],
    ] as const) {
      expect(() => parseRules(rules)).toThrow(text);
    }
  });
});

describe("allow always", () => {
  it("covers the same tool on the same file in the same conversation, and says so", () => {
    const policy = createPolicy({ roots });
    const first = call("write_file", { path: "src/a.ts", content: "1" });
    expect(policy.decide(first).reason).toBe(
      'write_file may change something, and no rule allows it. "Always allow" covers write_file on src/a.ts, in this conversation',
    );
    policy.allowAlways(first);
    expect(policy.decide(call("write_file", { path: "./src/a.ts", content: "2" })).decision).toBe("allow");
    for (const other of [
      call("write_file", { path: "src/b.ts", content: "1" }),
      call("edit_file", { path: "src/a.ts", oldText: "1", newText: "2" }),
      call("write_file", { path: "src/a.ts", content: "1" }, { conversationId: "c2" }),
    ]) {
      expect(policy.decide(other).decision).toBe("ask");
    }
  });

  it("covers a command with exactly these arguments, an operation, or a whole tool of somebody else", () => {
    const policy = createPolicy({ roots });
    const allow = (one: ToolCall): void => {
      policy.decide(one);
      policy.allowAlways(one);
    };
    allow(call("run_command", { command: "git", args: ["log", "*"] }));
    expect(policy.decide(call("run_command", { command: "git", args: ["log", "*"] })).decision).toBe("allow");
    for (const args of [["log", "x"], ["log"], ["log", "*", "x"], ["push"]]) {
      expect(policy.decide(call("run_command", { command: "git", args })).decision).toBe("ask");
    }
    allow(call("call_operation", { operationId: "getPet", arguments: {} }));
    expect(policy.decide(call("call_operation", { operationId: "getPet", arguments: { id: 1 } })).decision).toBe("allow");
    expect(policy.decide(call("call_operation", { operationId: "deletePet" })).decision).toBe("ask");
    allow(call("github__search", { query: "a" }));
    expect(policy.decide(call("github__search", { query: "b" })).decision).toBe("allow");
    expect(policy.decide(call("github__delete", {})).decision).toBe("ask");
  });

  it("never overrules a rule that denies, and is not remembered for a link", () => {
    const policy = createPolicy({ roots, rules: [{ tool: "write_file", match: { path: "src/*" }, decision: "deny" }] });
    const denied = call("write_file", { path: "src/a" });
    policy.decide(denied);
    policy.allowAlways(denied);
    expect(policy.decide(denied).decision).toBe("deny");
    symlinkSync("src", join(base, "root/link"));
    const linked = call("edit_file", { path: "link/a" });
    expect(policy.decide(linked).reason).toContain("is not remembered");
    policy.allowAlways(linked);
    expect(policy.decide(linked).decision).toBe("ask");
  });

  it("can be kept in a file, for its owner only, which the next start reads", async () => {
    const path = join(base, "data/permissions.json");
    const file = await openRulesFile(path);
    const policy = createPolicy({ roots, remembered: file });
    const one = call("write_file", { path: "src/a*.ts", content: "" });
    expect(policy.decide(one).reason).toContain("from now on");
    policy.allowAlways(one);
    policy.allowAlways(one);
    await file.close();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      permissions: [{ tool: "write_file", match: { path: "src/a\\*.ts" }, decision: "allow" }],
    });
    const next = createPolicy({ roots, remembered: await openRulesFile(path) });
    expect(next.decide({ ...one, conversationId: "other" }).decision).toBe("allow");
    expect(next.decide(call("write_file", { path: "src/ab.ts" })).decision).toBe("ask");
  });
});

describe("what was shown is what is executed", () => {
  it("WIR-12: of duplicate keys the last counts for the question, the audit log and the tool alike", async () => {
    const path = join(base, "audit.jsonl");
    const audit = createAuditLog({ path });
    const policy = createPolicy({ roots, audit, rules: [{ tool: "write_file", match: { path: "safe.txt" }, decision: "allow" }] });
    const input: unknown = JSON.parse('{"path":"safe.txt","content":"shown","path":"src/other.txt","content":"executed"}');
    const one = call("write_file", input);
    const verdict = policy.decide(one);
    expect(verdict).toMatchObject({ decision: "ask" });
    expect(verdict.reason).toContain("write_file on src/other.txt");
    policy.note(one, { decision: "allow", by: "the user", via: "click" });
    const tool = createBuiltinTools({ roots }).find(({ name }) => name === "write_file");
    const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
    expect(await tool?.run(one.input as never, context)).toMatchObject({ path: "src/other.txt" });
    await audit.close();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      preview: '{"path":"src/other.txt","content":"executed"}',
      rule: verdict.reason,
    });
    expect(existsSync(join(base, "root/safe.txt"))).toBe(false);
    expect(readFileSync(join(base, "root/src/other.txt"), "utf8")).toBe("executed");
  });
});
