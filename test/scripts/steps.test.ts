// How steps are run and what is written about them, as a real process: a small program with steps of its own.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunning, repository } from "./temp-tree.ts";

const moduleOf = (name: string): string => JSON.stringify(pathToFileURL(join(repository, "scripts", "tasks", `${name}.ts`)).href);

/** In a group of its own, as in a terminal; nothing of it is left after the test. */
function start(program: string): ChildProcess {
  const args = ["--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => signalGroup(child, "SIGKILL"));
  return child;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Runs the steps, an expression, so many at a time; `wait(ms)` and the list `said` are theirs to use. */
async function run(steps: string, width: number): Promise<{ shown: string; counts: unknown; said: string[] }> {
  const child = start(`
    import { runSteps } from ${moduleOf("steps")};
    const said = [];
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const counts = await runSteps(${steps}, ${width});
    process.stdout.write("\\0" + JSON.stringify({ counts, said }));`);
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await new Promise((resolve) => child.once("close", resolve));
  const [shown = "", result = ""] = stdout.split("\0");
  return { shown: shown.replaceAll(/\(\d+\.\d s\)/g, "(… s)"), ...(JSON.parse(result) as { counts: unknown; said: string[] }) };
}

const mixed = `[
  { name: "slow", run: async () => (await wait(200), { status: "failed", text: "first line\\nsecond line\\n" }) },
  { name: "quick", run: async () => ({ status: "failed", text: "its own line" }) },
  { name: "throws", run: () => { throw new Error("at once"); } },
  { name: "rejects", run: async () => { throw new Error("later"); } },
  { name: "left out", run: async () => ({ status: "skipped", text: "for a reason" }) },
  { name: "good", run: async () => ({ status: "passed", text: "not shown" }) },
]`;

describe("steps", () => {
  it.each([1, 2, 10])("%i at a time are shown in their order, each whole, and none hides or stops another", async (width) => {
    const { shown, counts } = await run(mixed, width);
    expect(shown).toBe(
      [
        "  slow … FAILED (… s)",
        "      first line",
        "      second line",
        "  quick … FAILED (… s)",
        "      its own line",
        "  throws … FAILED (… s)",
        "      Error: at once",
        "  rejects … FAILED (… s)",
        "      Error: later",
        "  left out … skipped (… s): for a reason",
        "  good … ok (… s)",
        "",
      ].join("\n"),
    );
    expect(counts).toEqual({ passed: 1, failed: 4, skipped: 1, failures: ["slow", "quick", "throws", "rejects"] });
  });

  it.each([1, 2])("never run more than %i at a time, and begin in their order", async (width) => {
    const steps = `["a", "b", "c", "d", "e"].map((name, index) => ({ name, async run() {
      said.push("+" + name);
      await wait(20 * (5 - index));
      said.push("-" + name);
      return { status: "passed", text: "" };
    } }))`;
    const { said } = await run(steps, width);
    let running = 0;
    const most = Math.max(...said.map((word) => (running += word.startsWith("+") ? 1 : -1)));
    expect(most).toBe(width);
    expect(said.filter((word) => word.startsWith("+"))).toEqual(["+a", "+b", "+c", "+d", "+e"]);
  });

  it("say that they have begun before they end", async () => {
    const child = start(`
      import { runSteps } from ${moduleOf("steps")};
      const goesOn = () => new Promise(() => setInterval(() => {}, 1000));
      await runSteps([{ name: "one", run: goesOn }, { name: "two", run: goesOn }], 2);`);
    const shown = await new Promise<string>((resolve) => child.stdout?.once("data", (text: Buffer) => resolve(text.toString())));
    expect(shown).toBe("  one …");
  });

  it("have their name and the outcome of the one before written when they write themselves", async () => {
    const talkative = `["one", "two"].map((name) => ({ name, isTalkative: true, async run() {
      process.stdout.write("    " + name + " speaks\\n");
      return { status: "passed", text: "" };
    } }))`;
    const { shown } = await run(talkative, 1);
    const lines = ["one", "two"].map((name) => `  ${name} …\n    ${name} speaks\n  ${name}: ok (… s)\n`);
    expect(shown).toBe(lines.join(""));
  });

  it("all end with Ctrl-C, and so do the programs that they have started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-steps-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const goesOn = `require("fs").writeFileSync(${JSON.stringify(folder)} + "/" + process.pid, ""); setInterval(() => {}, 1000);`;
    const child = start(`
      import { runSteps, toStep } from ${moduleOf("steps")};
      import { run } from ${moduleOf("tool")};
      const step = (name) => toStep(name, () => run(process.execPath, ["--eval", ${JSON.stringify(goesOn)}]));
      await runSteps(["one", "two", "three"].map(step), 2);`);
    const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
    await expect.poll(() => readdirSync(folder), { timeout: 50_000 }).toHaveLength(2);
    signalGroup(child, "SIGINT");
    expect(await ended).toBe("SIGINT");
    for (const pid of readdirSync(folder).map(Number)) await expect.poll(() => isRunning(pid), { timeout: 50_000 }).toBe(false);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
