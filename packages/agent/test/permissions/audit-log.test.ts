// The audit log: a line for every decision, no secret, bounded, and never in the way.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createAuditLog } from "../../src/permissions/audit-log.ts";
import type { ToolCall } from "../../src/permissions/policy.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "hawser-audit-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

const call = (input: unknown, toolName = "run_command"): ToolCall => ({
  conversationId: "c",
  toolId: "t",
  toolName,
  input,
  isReadOnly: false,
});
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the audit log", () => {
  it("has one line per decision, in a file for its owner only", async () => {
    const path = join(base, "data/audit.jsonl");
    const audit = createAuditLog({ path });
    audit.write(call({ command: "npm", args: ["test"] }), { decision: "allow", by: "user", via: "click", rule: "asked" });
    audit.write(call({ command: "npm" }), { decision: "deny", by: "nobody", via: "expired" });
    await audit.close();
    const [first, second] = linesOf(path);
    expect(first).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      conversationId: "c",
      toolId: "t",
      toolName: "run_command",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      preview: '{"command":"npm","args":["test"]}',
      decision: "allow",
      via: "click",
      by: "user",
      rule: "asked",
    });
    expect(second).toMatchObject({ decision: "deny", by: "nobody", preview: '{"command":"npm"}' });
    expect(second?.["digest"]).not.toBe(first?.["digest"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(base, "data")).mode & 0o777).toBe(0o700);
  });

  it("SEC-01: shows no secret, however it is passed", async () => {
    const path = join(base, "audit.jsonl");
    vi.stubEnv("EXAMPLE_API_KEY", "canary-from-environment");
    const audit = createAuditLog({ path, secrets: ["canary-that-was-named"] });
    vi.unstubAllEnvs();
    const inputs = [
      { token: "canary-1", nested: { password: "canary-2", Authorization: "canary-3" } },
      { args: ["--token", "canary-4", "--api-key=canary-5", "-H", "Authorization: Bearer canary-6"] },
      { url: "https://user:canary-7@example.org/?token=canary-8&x=1" },
      { text: "sk-ant-canary-9000000000000", other: "ghp_canary1000000000000", jwt: "eyJcanaryABCDEFG.canaryABC.canary" },
      { text: "x canary-from-environment y", other: "canary-that-was-named" },
      { content: `long ${"x".repeat(500)} canary-11` },
      { "canary-that-was-named": 1 },
    ];
    for (const input of inputs) audit.write(call(input), { decision: "allow", by: "user", via: "host" });
    await audit.close();
    expect(linesOf(path)).toHaveLength(inputs.length);
    expect(readFileSync(path, "utf8")).not.toContain("canary");
  });

  it("shows a bounded piece of any input", async () => {
    const path = join(base, "audit.jsonl");
    const audit = createAuditLog({ path });
    let deep: unknown = "x";
    for (let level = 0; level < 100; level++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`member${index}`, "value ".repeat(10)]));
    for (const input of [deep, wide, null, undefined, "text", ["\ud800"]])
      audit.write(call(input), { decision: "deny", by: "rule", via: "rule" });
    await audit.close();
    for (const { preview } of linesOf(path)) expect(String(preview).length).toBeLessThanOrEqual(agentLimits.auditPreviewChars + 1);
  });

  it("G10: begins a new file when it is full, and keeps one old one", async () => {
    const path = join(base, "audit.jsonl");
    const audit = createAuditLog({ path, maxBytes: 2_000 });
    for (let count = 0; count < 60; count++) {
      audit.write(call({ count }), { decision: "allow", by: "user", via: "host" });
      await audit.close();
    }
    expect(readdirSync(base).sort()).toEqual(["audit.jsonl", "audit.jsonl.1"]);
    for (const name of readdirSync(base)) expect(statSync(join(base, name)).size).toBeLessThanOrEqual(2_000);
    expect(linesOf(path).at(-1)).toMatchObject({ preview: '{"count":59}' });
  });

  it("can be written by several processes at once, also when they make room at the same moment", async () => {
    const said: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    const path = join(base, "audit.jsonl");
    const fill = async (): Promise<void> => {
      const audit = createAuditLog({ path, maxBytes: 1 });
      for (let count = 0; count < 100; count++) {
        audit.write(call({ count }), { decision: "allow", by: "user", via: "host" });
        await audit.close();
      }
    };
    await Promise.all([fill(), fill(), fill(), fill()]);
    expect(said).toEqual([]);
  });

  it("G11: drops and counts what comes faster than it can be written", async () => {
    const path = join(base, "audit.jsonl");
    const audit = createAuditLog({ path });
    for (let count = 0; count < agentLimits.auditQueuedEntries + 500; count++)
      audit.write(call({ count }), { decision: "allow", by: "user", via: "host" });
    await audit.close();
    const lines = linesOf(path);
    const dropped = lines.reduce((sum, line) => sum + Number(line["dropped"] ?? 0), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(lines.filter((line) => line["preview"]).length + dropped).toBe(agentLimits.auditQueuedEntries + 500);
  });

  it("fails nobody when it can't be written, and says so once; a link is not followed", async () => {
    const said: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
    mkdirSync(join(base, "folder"));
    symlinkSync(join(base, "target"), join(base, "link"));
    for (const name of ["folder", "link"]) {
      const audit = createAuditLog({ path: join(base, name) });
      for (let count = 0; count < 3; count++) {
        audit.write(call({ count }), { decision: "allow", by: "user", via: "host" });
        await audit.close();
      }
    }
    expect(said.filter((text) => text.includes("the audit log"))).toHaveLength(2);
    expect(readdirSync(base).sort()).toEqual(["folder", "link"]);
  });
});
