// The sandbox as a user meets it: the real runtime, its question, its status and its audit log, and a machine on which bubblewrap can't work.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSandbox } from "@hawser/agent/internal";
import { spawnAgent, type PermissionRequest, type SpawnedAgent } from "@hawser/agent/host";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { until } from "../../../../test/kit/until.ts";
import { hawserCommand, makeStage, type Stage } from "./agent-stage.ts";

const started: SpawnedAgent[] = [];
afterAll(() => Promise.all(started.map((agent) => agent.close())));

const around = createSandbox({ mode: "auto" });
await around.whenKnown();
const skipWithout = (context: TestContext): void => {
  const problem = around.problem();
  if (problem !== undefined) context.skip(problem);
};

interface Started {
  readonly agent: SpawnedAgent;
  readonly questions: PermissionRequest[];
}

async function start(stage: Stage, flags: readonly string[], before: readonly string[] = []): Promise<Started> {
  const questions: PermissionRequest[] = [];
  const [command, ...args] = [...before, ...hawserCommand(["agent", ...flags])] as [string, ...string[]];
  const onPermission = (question: PermissionRequest): "allow" => (questions.push(question), "allow");
  const agent = await spawnAgent({ command, args, cwd: stage.folder, env: stage.env, restart: false, onStderr() {}, onPermission });
  started.push(agent);
  return { agent, questions };
}

async function ask(agent: SpawnedAgent, message: string): Promise<unknown> {
  for await (const event of agent.send(message)) if (event.type === "tool_result") return event.data;
  return undefined;
}

async function sandboxOf(agent: SpawnedAgent) {
  let status = (await agent.status()).sandbox;
  await until(async () => (status = (await agent.status()).sandbox)?.state !== "checking");
  return status;
}

describe.concurrent("a command of the agent", () => {
  it("G17 runs in the sandbox: the question, the status and the audit log say so, and it is so", async (context) => {
    skipWithout(context);
    const stage = makeStage({ "note.txt": "ahoy" });
    const { agent, questions } = await start(stage, ["--allow-command", "ls"]);
    expect(await sandboxOf(agent)).toEqual({ mode: "auto", state: "on", network: false });
    expect(await ask(agent, `run ls ${stage.home}`)).toMatchObject({ result: { exitCode: 0, stdout: "" } });
    const runs = { folder: stage.folder, sandboxed: true, network: false };
    expect(questions).toMatchObject([
      { toolName: "run_command", runs, reason: expect.stringContaining("in the sandbox, without the network") },
    ]);
    await agent.close();
    const [line = ""] = readFileSync(join(stage.home, "data/hawser/audit.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(line)).toMatchObject({ toolName: "run_command", decision: "allow", runs });
  });

  it("G17 runs without it where that was asked for, and the question says that", async () => {
    const stage = makeStage();
    const { agent, questions } = await start(stage, ["--allow-command", "ls", "--sandbox", "off"]);
    expect(await sandboxOf(agent)).toEqual({ mode: "off", state: "off", network: true, reason: "it is switched off" });
    expect(await ask(agent, `run ls ${stage.home}`)).toMatchObject({ result: { exitCode: 0, stdout: expect.stringContaining("data") } });
    expect(questions).toMatchObject([{ runs: { sandboxed: false, network: true } }]);
  });

  it("is refused where a sandbox is required and can't be made, with the reason, and nobody is asked", async (context) => {
    skipWithout(context);
    const bwrap = execFileSync("sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).trim();
    if (!execFileSync(bwrap, ["--help"], { encoding: "utf8" }).includes("--disable-userns"))
      context.skip("this bubblewrap can't forbid namespaces");
    const stage = makeStage({}, { sandbox: { mode: "require" }, permissions: [{ tool: "run_command", decision: "allow" }] });
    // A machine without user namespaces.
    const without = [bwrap, "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--die-with-parent"];
    const { agent, questions } = await start(stage, ["--allow-command", "ls"], without);
    expect(await sandboxOf(agent)).toMatchObject({
      mode: "require",
      state: "off",
      reason: expect.stringContaining("can't make a sandbox here"),
    });
    expect(await ask(agent, "run ls")).toMatchObject({
      isError: true,
      error: expect.stringContaining("a sandbox is required, and there is none"),
    });
    expect(questions).toEqual([]);
  });

  it("is not looked for where no command is allowed", async () => {
    const { agent } = await start(makeStage(), []);
    expect((await agent.status()).sandbox).toEqual({ mode: "auto", state: "unused", network: false });
  });
});
