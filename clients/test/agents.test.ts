// Codex, Claude Code, Gemini CLI, opencode and Goose as they are installed from the registry, behind `hawser agent`: what users do with
// them, and what goes wrong in the middle.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { errorOf, textOf } from "../../packages/acp/test/runtime-stage.ts";
import { until } from "../../test/kit/until.ts";
import { openAgentRuntime, type AgentRuntime } from "./agent-runtime.ts";
import { realAgents } from "./real-agents.ts";
import { isTranscribed, writeTranscript, type SaidTurn } from "./transcripts.ts";

const whyNot = "not installed: npm run test:agents does that, opencode and Goose on Linux x64 only";

describe.for(realAgents)("acp/$name behind hawser agent", (agent) => {
  const isThere = existsSync(agent.program);
  let stage: AgentRuntime;
  const told: SaidTurn[] = [];
  beforeAll(async () => {
    if (isThere) stage = await openAgentRuntime(agent);
  });
  afterAll(async () => {
    if (!isThere) return;
    const hidden = [
      [stage.work, "/home/ada/harbour"],
      [stage.runtime.home, "/home/ada"],
    ] as const;
    if (isTranscribed) writeTranscript(`acp/${agent.name}`, told, hidden);
    await stage.close();
    await until(() => stage.processes().length === 0, 30_000);
  });
  it("answers, thinks aloud, and calls a function of the running program through the bridge", async ({ expect, skip }) => {
    skip(!isThere, whyNot);
    const hello = await stage.say("say hello");
    expect(textOf(hello)).toContain("hello");
    expect(hello.at(-1)).toMatchObject({ type: "done" });
    const thought = await stage.say("think aloud");
    expect(thought.flatMap((each) => (each.type === "reasoning" ? [each.data.text] : [])).join("")).toContain("boats float");
    const counted = await stage.say("count the boats");
    told.push({ message: "count the boats", decision: "allow", responses: counted });
    expect(counted.at(-1)).toMatchObject({ type: "done" });
    // Only that program has this number.
    expect(textOf(counted)).toMatch(new RegExp(`the tool said .*${stage.runtime.child.pid}`));
    expect(counted.filter(({ type }) => type === "tool_use")).toHaveLength(1);
    expect(counted.filter(({ type }) => type === "tool_result")).toHaveLength(1);
  });

  it("G17 writes nothing when it is denied, and writes when it is allowed", async ({ expect, skip }) => {
    skip(!isThere, whyNot);
    const file = join(stage.work, "boats.txt");
    const denied = await stage.say("write the file", "deny");
    told.push({ message: "write the file", decision: "deny", responses: denied });
    expect(denied.filter(({ type }) => type === "permission_request")).toHaveLength(1);
    expect([denied.at(-1)?.type, existsSync(file)]).toEqual(["done", false]);
    const allowed = await stage.say("write the file", "allow");
    told.push({ message: "write the file", decision: "allow", responses: allowed });
    const asked = allowed.find(({ type }) => type === "permission_request");
    expect(asked).toMatchObject({
      data: { options: expect.arrayContaining([expect.objectContaining({ kind: "allow_once" })]) as unknown },
    });
    expect([allowed.at(-1)?.type, readFileSync(file, "utf8")]).toEqual(["done", "four\n"]);
    expect(existsSync(join(stage.work, "boats"))).toBe(false);
    await stage.say("run the command", "allow");
    expect(existsSync(join(stage.work, "boats"))).toBe(true);
  });

  it("G5 a cancelled turn has one end, and the next message works", async ({ expect, skip }) => {
    skip(!isThere, whyNot);
    await stage.say("say hello");
    const id = await stage.begin("talk without end");
    await stage.runtime.ask({ kind: "cancel", target: id });
    const said = await stage.runtime.endOf(id);
    expect(said.at(-1)).toMatchObject({ type: "error", code: "cancelled" });
    expect(textOf(await stage.say("what was said"))).toContain("you wanted hello");
  });

  it("G12 killed in the middle it is one error, and the next message goes on in its session", async ({ expect, skip }) => {
    skip(!isThere, whyNot);
    await stage.say("say hello");
    const id = await stage.begin("talk without end");
    const before = stage.processes();
    process.kill(before[0] ?? 0, "SIGKILL");
    const said = await stage.runtime.endOf(id);
    expect(errorOf(said)).toContain(`acp/${agent.name} ended with SIGKILL`);
    expect(textOf(await stage.say("what was said"))).toContain("you wanted hello");
    expect(before.filter((pid) => stage.processes().includes(pid))).toEqual([]);
  });

  it("G12 after a restart of the runtime the conversation goes on", async ({ expect, skip }) => {
    skip(!isThere, whyNot);
    await stage.say("say hello");
    await stage.restart();
    expect(textOf(await stage.say("what was said"))).toContain("you wanted hello");
    expect(textOf(await stage.say("count the boats"))).toMatch(new RegExp(`the tool said .*${stage.runtime.child.pid}`));
  });
});
