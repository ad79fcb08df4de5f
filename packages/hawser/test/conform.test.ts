// `hawser conform`: the exit codes and reports that a person and a program get.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { isRunning } from "../../../test/kit/processes.ts";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { findProcesses, makeFolder, runHawser, start, type Ended, type Running } from "./run-hawser.ts";

const program = builtHawser;
const echo = [process.execPath, program, "echo"];
const quick = ["--only", "split", "--only", "malformed", "--only", "end-idle"];
// The machine that runs the tests may be busy.
const patient = ["--timeout", "50000"];

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly scenarios: readonly { id: string; outcome: string; requirements: string[]; failure?: { got: string } }[];
}

const conform = (...args: string[]): Promise<Ended> => runHawser(["conform", ...args], { program });
const startConform = (...args: string[]): Running => start(["conform", ...args], {}, [program]);

describe.concurrent("hawser conform", () => {
  it("passes `hawser echo` and exits 0", async () => {
    const ids = ["shapes", "malformed", "too-large", "one-answer", "cancel-overtakes", "end-drains", "terminate"];
    const only = ids.flatMap((id) => ["--only", id]);
    const { code, stdout, stderr } = await conform("echo", ...only, ...patient, "--", ...echo);
    expect(stdout).not.toContain("✗");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^✓ shapes {2}every shape of JSON value comes back unchanged \d+ ms\n/);
    expect(stdout).toMatch(/\necho 1\.0\.0: 7 passed, 0 failed in [\d.]+ s {2}/);
  });

  it("exits 1 when a scenario fails, and says which step, what was expected and what came", async () => {
    const { code, stdout } = await conform("echo", ...quick, ...patient, "--", "cat");
    expect(code).toBe(1);
    expect(stdout).toContain("✗ split");
    expect(stdout).toContain('    step 2, expect\n    expected  {"id":"split"');
    expect(stdout).toContain('(at type: expected "echoed", got no such member)');
    expect(stdout).toContain("echo 1.0.0: 0 passed, 3 failed in");
  });

  it("shows a long run of spaces as its number, and keeps it in the JSON", async () => {
    const spaces = `process.stdin.once("data", () => console.log(JSON.stringify({ id: "split", a: " ".repeat(200) + "b" })))`;
    const args = ["--only", "split", ...patient, "--", process.execPath, "-e", spaces];
    expect((await conform("echo", ...args)).stdout).toContain('"a":"[200 spaces]b"');
    expect((await conform("echo", "--json", ...args)).stdout).toContain(" ".repeat(200));
  });

  it("prints the report as JSON for programs, with the same exit codes", async () => {
    const green = await conform("echo", ...quick, "--json", ...patient, "--", ...echo);
    const report = JSON.parse(green.stdout) as Report;
    expect([green.code, report.passed, report.failed]).toEqual([0, 3, 0]);
    expect(report.scenarios.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["split", "passed"],
      ["malformed", "passed"],
      ["end-idle", "passed"],
    ]);
    const red = await conform("echo", "--only", "end-idle", "--json", ...patient, "--", process.execPath, "-e", "process.exit(4)");
    expect(red.code).toBe(1);
    expect((JSON.parse(red.stdout) as Report).scenarios[0]?.failure?.got).toMatch(/it exited with code 4$/);
  });

  it("passes options after -- to the command untouched", async () => {
    const args = ["echo", "--only", "split", ...patient, "--", ...echo, "--workers", "1", "--queue-size", "1"];
    expect(await conform(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
  });

  it("bounds every step by --timeout", async () => {
    const silent = [process.execPath, "-e", "process.stdin.resume()"];
    const { code, stdout } = await conform("echo", "--only", "split", "--timeout", "300", "--", ...silent);
    expect(code).toBe(1);
    expect(stdout).toContain("got       nothing within 300 ms");
  });

  it("lists the scenarios without running anything, as text and as data", async () => {
    const list = await conform("echo", "--list");
    expect([list.code, list.stdout.split("\n").length - 1]).toEqual([0, 26]);
    const data = JSON.parse((await conform("echo", "--list", "--json")).stdout) as {
      protocol: string;
      scenarios: unknown[];
    };
    expect([data.protocol, data.scenarios.length]).toEqual(["echo", 26]);
  });

  it("names requirements by their codes in JSON only", async () => {
    const codes = /\b(?:[GHR]\d+|[A-Z]{3}-\d\d)\b/;
    expect((await conform("rpc", "--list")).stdout).not.toMatch(codes);
    expect((await conform("rpc", "--list", "--json")).stdout).toMatch(codes);
    expect((await conform("echo", ...quick, "--", "cat")).stdout).not.toMatch(codes);
  });

  it("lists only the scenarios that are asked for, and refuses one that there is not", async () => {
    const list = await conform("echo", "--list", "--only", "end-idle", "--only", "stream-order");
    expect(list.stdout.split("\n").map((line) => line.split(" ")[0])).toEqual(["stream-order", "end-idle", ""]);
    const unknown = await conform("echo", "--list", "--only", "zzz");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no scenario "zzz"')]);
  });

  it("lists the suites where none is named", async () => {
    const { code, stdout } = await conform("--list");
    expect([code, stdout.split("\n")[0]]).toEqual([0, "echo    1.0.0  26 scenarios"]);
    const data = JSON.parse((await conform("--list", "--json")).stdout) as { suite: string }[];
    expect(data.map(({ suite }) => suite)).toEqual(["echo", "bridge", "parent", "rpc", "agent", "acp"]);
  });

  it("says that npx keeps signals from what it runs", async () => {
    const folder = makeFolder("npx");
    writeFileSync(join(folder, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    const note = "hawser: note: npx does not pass signals on to what it runs; run the program directly\n";
    const run = (...command: string[]) => conform("echo", "--only", "end-idle", "--", ...command);
    expect((await run(join(folder, "npx"), ...echo)).stderr).toBe(note);
    expect((await run(...echo)).stderr).toBe("");
  });

  it("a reader that leaves early ends it without a verdict, quietly, with the shell's code for a broken pipe", async () => {
    // It says nothing: each of the many scenarios takes its second, so that enough of them are left whenever the reader leaves.
    const silent = ["sh", "-c", "exec cat > /dev/null"];
    const running = startConform("echo", "--jobs", "1", "--timeout", "1000", "--", ...silent);
    await running.printed("✗ shapes");
    running.process.stdout.destroy();
    expect(await running.ended).toMatchObject({ code: 141, signal: null, stderr: "" });
  });

  it("G9 leaves nothing running when it is interrupted in the moment of a start", async ({ expect }) => {
    const folder = makeFolder("start");
    const signalAtStart = pathToFileURL(join(import.meta.dirname, "fixtures", "signal-at-start.mjs"));
    const env = { NODE_OPTIONS: `--import=${signalAtStart.href}`, HAWSER_TEST_MARK: folder };
    const silent = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
    const running = start(["conform", "echo", "--only", "split", "--", ...silent], env, [program]);
    expect(await running.ended).toMatchObject({ signal: "SIGINT" });
    await expect.poll(() => findProcesses(`HAWSER_TEST_MARK=${folder}`) ?? [], { timeout: 50_000 }).toEqual([]);
  });

  it("stops what it started when it is interrupted", async ({ expect }) => {
    const mark = join(makeFolder("mark"), "pid");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, String(process.pid)); setInterval(() => {}, 1000); process.on("SIGTERM", () => {})`;
    const running = startConform("echo", "--only", "split", "--", process.execPath, "-e", script);
    const read = (): number => {
      try {
        return Number(readFileSync(mark, "utf8"));
      } catch {
        return 0;
      }
    };
    await expect.poll(read, { timeout: 50_000 }).toBeGreaterThan(0);
    const pid = read();
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ signal: "SIGINT" });
    await expect.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false);
  });
});
