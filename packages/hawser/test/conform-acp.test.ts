// `hawser conform acp` with real programs: our own agent, one on the official SDK, and one that is none; and the whole suite against
// our agent in this process, where a start takes no time.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveAcp } from "@hawser/acp/internal";
import { runSuite, suites, type Suite } from "@hawser/conformance";
import { describe, expect, it } from "vitest";
// What it is started with is no part of the package.
import { acpSubject } from "../../conformance/src/acp-subject.ts";
import { builtHawser } from "../../../test/kit/built-hawser.ts";
import { packProgram } from "../../../test/kit/packed-program.ts";
import { longTestsVariable } from "../../../scripts/tasks/long-tests.ts";
import { makeFolder, start, type Ended } from "./run-hawser.ts";
import { runtimeHere } from "./runtime-here.ts";

const program = builtHawser;
const only = (...ids: string[]): string[] => ids.flatMap((id) => ["--only", id]);
const isLong = process.env[longTestsVariable] !== undefined;

interface Report {
  readonly passed: number;
  readonly scenarios: readonly { id: string; outcome: string; reason?: string; failure?: { got: string } }[];
}

function conform(...args: string[]): Promise<Ended> {
  const running = start(["conform", "acp", ...args], {}, [program]);
  running.process.stdin.end();
  return running.ended;
}

/** In the form that starts quickly: it is started for every scenario. */
async function sdkAgent(): Promise<readonly string[]> {
  const folder = await packProgram({ name: "sdk-acp-agent", entry: "test/fixtures/sdk-acp-agent.ts" });
  return [process.execPath, join(folder, "dist", "main.js")];
}

describe.concurrent("hawser conform acp", () => {
  it("our agent passes every scenario with the offline model, but that of sound, which it does not advertise", async () => {
    const [homeFolder, attachments] = [makeFolder("home"), makeFolder("attachments")];
    const start = runtimeHere({ root: [attachments], attachments }, (transport, parts, lifecycle) =>
      serveAcp(transport, { parts, lifecycle, version: "1.2.3", homeFolder, attachments }),
    );
    const suite = suites["acp"] as Suite;
    const { scenarios } = await runSuite(suite, acpSubject({ command: "acp" }, start), { timeoutMs: 100_000, concurrency: 8 });
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toMatchObject([{ id: "sound", outcome: "unsupported" }]);
    expect(scenarios.length).toBeGreaterThan(60);
  }, 300_000);

  it("passes `hawser acp` where a process, its pipes and its folders take part; in the long form in all but that of sound", async () => {
    const pipes = ["initialize", "pieces", "large-message", "garbage", "new", "turn", "permission-allow", "cancel"];
    const ends = ["end-of-input", "end-of-input-in-turn", "terminate"];
    const chosen = isLong ? [] : only(...pipes, ...ends, "working-folder", "mcp-server", "load", "sound");
    const args = ["--json", "--jobs", "4", "--timeout", "100000", ...chosen, "--", process.execPath, program, "acp"];
    const { code, stdout, stderr } = await conform(...args);
    const { passed, scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed")).toMatchObject([{ id: "sound", outcome: "unsupported" }]);
    expect([code, stderr, passed]).toEqual([0, "", scenarios.length - 1]);
  }, 300_000);

  it("passes an agent on the official SDK in all that it advertises, and says of the rest that it does not support it", async () => {
    // One scenario of each kind; all of them in the long form.
    const some = only(
      "initialize",
      "ids",
      "garbage",
      "new",
      "load",
      "resume",
      "list-cursor",
      "close",
      "delete",
      "turn",
      "parallel",
      "sound",
    );
    const more = only("tool-ends", "permission-allow", "permission-cancel", "cancel-midway", "cancel-request", "config-options", "modes");
    const chosen = isLong ? [] : [...some, ...more, ...only("terminate")];
    const { code, stdout, stderr } = await conform("--json", "--timeout", "100000", ...chosen, "--", ...(await sdkAgent()));
    const { scenarios } = JSON.parse(stdout) as Report;
    expect(scenarios.filter(({ outcome }) => outcome !== "passed" && outcome !== "unsupported")).toEqual([]);
    const unsupported = scenarios.filter(({ outcome }) => outcome === "unsupported");
    expect(unsupported.filter(({ reason }) => !/^it (?:does not advertise|has no) /.test(reason ?? ""))).toEqual([]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(scenarios.length - unsupported.length).toBeGreaterThan(isLong ? 40 : 12);
  }, 300_000);

  it("takes other prompts, and skips what they don't show", async () => {
    const prompts = ["--tool-prompt", "say nothing", "--permission-prompt", ""];
    const ids = only("turn", "tool-ends", "permission-reject");
    const { code, stdout } = await conform(...ids, ...prompts, "--timeout", "100000", "--", ...(await sdkAgent()));
    expect(stdout).toContain("    skipped: what --tool-prompt says made it use no tool; give a prompt that does\n");
    expect(stdout).toContain("    skipped: --permission-prompt is empty\n");
    expect(stdout).toMatch(/\nacp 1: 1 passed, 0 failed, 2 skipped in /);
    expect(code).toBe(0);
  });

  it("gives the command variables and the session's folder files", async () => {
    const folder = makeFolder("template");
    writeFileSync(join(folder, "agent.json"), "{}");
    const script = `
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = method === "initialize" ? { protocolVersion: 1, agentInfo: { name: process.env.NAME, version: require("node:fs").readdirSync(process.env.XDG_DATA_HOME + "/work").join() } } : {};
        console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, ...(process.env.NAME && { protocolVersion: "one" }) } }));
      });`;
    const args = [...only("initialize"), "--json", "--env", "NAME=salt=pepper", "--folder", folder, "--timeout", "100000"];
    const { code, stdout } = await conform(...args, "--", process.execPath, "-e", script);
    const [result] = (JSON.parse(stdout) as Report).scenarios;
    expect([code, result?.failure?.got]).toEqual([
      1,
      expect.stringContaining('at protocolVersion: expected {"$type":"integer"}, got "one"'),
    ]);
  });

  it("exits 1 for a program that is no agent", async () => {
    const { code, stdout } = await conform(...only("initialize", "turn"), "--", process.execPath, "-e", "0");
    expect(stdout).toContain("acp 1: 0 passed, 2 failed in");
    expect(code).toBe(1);
  });

  it("refuses its own options for another suite, a variable without a value and a folder that there is not", async () => {
    const run = async (...args: string[]): Promise<readonly unknown[]> => {
      const running = start(["conform", ...args, "--", "true"], {}, [program]);
      running.process.stdin.end();
      const { code, stderr } = await running.ended;
      return [code, stderr.trim()];
    };
    expect(await run("echo", "--tool-prompt", "x")).toEqual([
      2,
      expect.stringContaining("--tool-prompt is for the suite acp; the suite echo has no use for it"),
    ]);
    expect(await run("agent", "--folder", ".")).toEqual([2, expect.stringContaining("--folder is for the suite acp")]);
    expect(await run("acp", "--env", "NAME")).toEqual([2, expect.stringContaining('--env takes name=value, not "NAME"')]);
    expect(await run("acp", "--folder", "/nowhere/hawser")).toEqual([2, expect.stringContaining("/nowhere/hawser is no folder")]);
  });
});
