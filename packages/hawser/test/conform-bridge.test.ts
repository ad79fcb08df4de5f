// `hawser conform bridge` and `hawser conform parent` with real programs: our own commands, one that
// is broken, and one that is interrupted.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { runHawser, start, type Ended } from "./run-hawser.ts";

const program = builtHawser;
const conform = (...args: string[]): Promise<Ended> => runHawser(["conform", ...args], { program });
const hawser = [process.execPath, program];
const tools = join(import.meta.dirname, "..", "..", "conformance", "test", "fixtures", "parent-tools.ts");
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);
// The machine that runs the tests may be busy.
const patient = ["--timeout", "50000"];

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly unsupported: number;
  readonly scenarios: readonly { id: string; outcome: string; additive?: true; failure?: { got: string } }[];
}

describe.concurrent("hawser conform bridge", () => {
  it("R22 R58: passes `hawser bridge` with placeholders for the paths", async () => {
    const bridge = [...hawser, "bridge", "{socket}", "{schema}"];
    const args = ["bridge", ...patient, ...only("is-error", "paths-1"), "--", ...bridge];
    const { code, stdout, stderr } = await conform(...args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^✓ paths-1 .*\n✓ is-error .*\n\nbridge 1\.0\.0: 2 passed, 0 failed in /);
  });

  it("H3: adds the paths at the end, says what a bridge does not support, and exits 0", async () => {
    const bridge = [...hawser, "bridge", "--reconnect", "never"];
    const { code, stdout } = await conform("bridge", "--json", ...only("reconnect", "lost-in-call"), ...patient, "--", ...bridge);
    const report = JSON.parse(stdout) as Report;
    expect([code, report.passed, report.failed, report.unsupported]).toEqual([0, 1, 0, 1]);
    expect(report.scenarios.find(({ id }) => id === "reconnect")).toMatchObject({ outcome: "unsupported", additive: true });
  });

  it("exits 1 for a program that is no bridge, and shows what it said", async () => {
    const notBridge = [process.execPath, "-e", "console.error('what?'); console.log('hello'); process.stdin.resume()"];
    const { code, stdout } = await conform("bridge", ...only("call"), ...patient, "--", ...notBridge);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✗ call .*\n {4}sent .*\n {4}step 2, expect\n.*\n {4}got {7}bytes that aren't a message .*: hello\n {4}stderr {4}what\?\n/,
    );
    expect(stdout).toContain("bridge 1.0.0: 0 passed, 1 failed in");
    // Here it is waited for to the end of the time.
    const unended = await conform("bridge", ...only("schema-missing"), "--timeout", "1000", "--", ...notBridge);
    expect([unended.code, unended.stdout]).toEqual([1, expect.stringContaining("bridge 1.0.0: 0 passed, 1 failed in")]);
  });

  it("leaves no folder behind when it is interrupted", async ({ expect, onTestFinished }) => {
    // Short, so that a socket can be made in it; TMPDIR may not be.
    const folder = mkdtempSync("/tmp/hi-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const silent = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
    const running = start(["conform", "bridge", ...only("call"), "--", ...silent], { TMPDIR: folder }, [program]);
    await expect.poll(() => readdirSync(folder), { timeout: 50_000 }).toHaveLength(1);
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ signal: "SIGINT" });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.concurrent("hawser conform parent", () => {
  it("R34 R42 R60: passes `hawser expose` with the tools that it asks for", async () => {
    const parent = [...hawser, "expose", tools];
    const ids = only("config", "unknown-tool", "terminate");
    const { code, stdout, stderr } = await conform("parent", ...patient, ...ids, "--", ...parent);
    expect(stdout).toMatch(/^✓ config .*\n✓ terminate .*\n✓ unknown-tool .*\n\nparent 1\.0\.0: 3 passed, 0 failed in /);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("bounds the wait for the configuration by --timeout", async () => {
    const silent = [process.execPath, "-e", "process.stdin.resume()"];
    const { code, stdout } = await conform("parent", ...only("call"), "--timeout", "300", "--", ...silent);
    expect(code).toBe(1);
    expect(stdout).toContain("got       no configuration within 300 ms: the command prints");
  });
});

describe.concurrent("hawser conform --list", () => {
  it.each([
    ["bridge", 58, "reconnect "],
    ["parent", 41, "hello-known "],
  ])("shows the scenarios of %s and marks what is additive", async (suite, count, additive) => {
    const { code, stdout } = await conform(suite, "--list");
    const lines = stdout.trimEnd().split("\n");
    expect([code, lines.length]).toEqual([0, count]);
    expect(lines.find((line) => line.startsWith(additive))).toMatch(/ {2}\(additive\) \w/);
    expect(lines.find((line) => line.startsWith("call "))).not.toContain("additive");
  });
});
