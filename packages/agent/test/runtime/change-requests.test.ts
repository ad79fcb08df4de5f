// Changes in files as a host sees them: whatever a turn uses, what it changed is listed under its id when it ends, and can be reverted.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Tool } from "@hawser/tools";
import type { ChangesData } from "@hawser/protocol";
import { withFileLock } from "@hawser/wire/internal/node";
import { expect, test } from "vitest";
import type { TurnAgent } from "../../src/model/turn-agent.ts";
import { createOneWorkspace } from "../../src/runtime/one-workspace.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { createRoots } from "../../src/tools/files/roots.ts";
import { openUndoStage } from "../changes/undo-stage.ts";
import { openStage, saidBy, say, toolResultsIn, type Script, type StageOptions } from "./stage.ts";

const policy = {
  decide: () => ({ decision: "allow" as const, reason: "everything is allowed here" }),
  allowAlways: () => false,
  note: () => {},
};

async function openChangeStage(script: Script, extra: readonly Tool[] = [], options: Partial<StageOptions> = {}) {
  const undo = await openUndoStage({ "a.txt": "one\n" });
  const tools = [...createBuiltinTools({ roots: await createRoots([undo.root]) }), ...extra];
  const workspaces = createOneWorkspace({ policy, tools: () => tools, folders: [undo.root], changes: undo.changes });
  const stage = openStage({ script, workspaces, changes: undo.log, ...options });
  const ask = async (request: { readonly id: string; readonly kind: string }): Promise<unknown> => {
    stage.send({ conversationId: "c", ...request });
    await stage.endOf(request.id);
    const [answer] = stage.of(request.id);
    return answer && "data" in answer ? answer.data : answer;
  };
  const list = async (id: string): Promise<string[]> =>
    ((await ask({ id, kind: "list_changes" })) as ChangesData).changes.map(({ requestId, path }) => `${requestId} ${path}`);
  return { undo, stage, ask, list };
}

/** Calls the tool once, then says that it is done. */
const calls =
  (toolName: string, input: object = {}): Script =>
  (step) =>
    toolResultsIn(step).length > 0 ? [{ type: "text", text: "done" }] : [{ type: "tool_call", toolId: "u", toolName, input }];

const scriptedAgent: Omit<TurnAgent, "run"> = {
  name: "acp/scripted",
  runningSession: () => undefined,
  options: async () => [],
  setOption: async () => [],
  release: async () => {},
  close: async () => {},
};

test("a file tool, and a tool that may change anything, are listed when the turn is done", async () => {
  const touch = defineTool({
    name: "touch",
    description: "Changes files as it likes.",
    input: { type: "object" },
    run: () => writeFileSync(join(root, "by-tool.txt"), "hello\n"),
  });
  let root = "";
  const write = calls("write_file", { path: "sub/b.txt", content: "two\n" });
  const script: Script = (step, count) => (saidBy(step) === "write" ? write : calls("touch"))(step, count);
  const { undo, stage, ask, list } = await openChangeStage(script, [touch]);
  root = undo.root;
  stage.send(say("t1", "write", "c"));
  await stage.endOf("t1");
  expect(await list("l1")).toEqual(["t1 sub/b.txt"]);
  stage.send(say("t2", "touch", "c"));
  await stage.endOf("t2");
  expect(await list("l2")).toEqual(["t1 sub/b.txt", "t2 by-tool.txt"]);
  expect(await ask({ id: "r", kind: "revert_changes" })).toEqual({ reverted: ["by-tool.txt", "sub/b.txt"], conflicts: [] });
  await stage.close();
});

test("an agent that owns its loop changes files as it likes, and that is listed too", async () => {
  let root = "";
  const agent: TurnAgent = {
    ...scriptedAgent,
    async run({ emit, keepSession }) {
      await keepSession("s");
      writeFileSync(join(root, "a.txt"), "by the agent\n");
      await emit({ type: "text", text: "done" });
    },
  };
  const models = { current: agent.name, pick: async () => agent, list: async () => [] };
  const { undo, stage, ask, list } = await openChangeStage(() => [], [], { models });
  root = undo.root;
  stage.send(say("t1", "change it", "c"));
  await stage.endOf("t1");
  expect(await list("l")).toEqual(["t1 a.txt"]);
  await ask({ id: "r", kind: "revert_changes" });
  expect(undo.read("a.txt")).toBe("one\n");
  await stage.close();
});

test("an agent starts while the folder is looked at, and hears of the message only when that is done", async () => {
  let started = Promise.withResolvers<void>();
  let isTold = false;
  const agent: TurnAgent = {
    ...scriptedAgent,
    async run({ emit, keepSession }) {
      started.resolve();
      await keepSession("s");
      isTold = true;
      writeFileSync(join(root, "a.txt"), "by the agent\n");
      await emit({ type: "text", text: "done" });
    },
  };
  const models = { current: agent.name, pick: async () => agent, list: async () => [] };
  const { undo, stage, list } = await openChangeStage(() => [], [], { models });
  const { root } = undo;
  stage.send(say("t0", "once, so that there is a store", "c"));
  await stage.endOf("t0");
  writeFileSync(undo.path("a.txt"), "by the user\n");
  const store = readdirSync(undo.data).find((name) => !name.endsWith(".lock")) ?? "";
  started = Promise.withResolvers();
  isTold = false;
  await withFileLock(join(undo.data, `${store}.lock`), async () => {
    stage.send(say("t1", "change it", "c"));
    await started.promise;
    await sleep(100);
    expect(isTold).toBe(false);
  });
  await stage.endOf("t1");
  expect(await list("l")).toEqual(["t0 a.txt", "t1 a.txt"]);
  expect((await undo.revert({ target: "t1" })).conflicts).toEqual([]);
  expect(undo.read("a.txt")).toBe("by the user\n");
  await stage.close();
});

test("what a tool does after its turn was cancelled is still the turn's, for a while", async () => {
  let root = "";
  const stubborn = defineTool({
    name: "stubborn",
    description: "Goes on after it was told to stop.",
    input: { type: "object" },
    async run(_, { signal, progress }) {
      progress(0);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await sleep(50);
      writeFileSync(join(root, "late.txt"), "late");
    },
  });
  const { undo, stage, list } = await openChangeStage(calls("stubborn"), [stubborn]);
  root = undo.root;
  stage.send(say("t1", "go", "c"));
  await stage.next((response) => response.type === "progress");
  stage.send({ id: "x", kind: "cancel", target: "t1" });
  expect(await stage.endOf("t1")).toMatchObject({ type: "error", code: "cancelled" });
  expect(await list("l")).toEqual(["t1 late.txt"]);
  await stage.close();
});

test("reading looks at nothing, and a runtime without undo offers and answers nothing of it", async () => {
  const { undo, stage, list } = await openChangeStage(calls("read_file", { path: "a.txt" }));
  stage.send(say("t1", "read", "c"));
  await stage.endOf("t1");
  writeFileSync(undo.path("new.txt"), "by the user");
  expect(await list("l")).toEqual([]);
  await stage.close();
  const without = openStage();
  without.send({ id: "l", kind: "list_changes", conversationId: "c" });
  expect(await without.endOf("l")).toMatchObject({ type: "error", code: "usage" });
  expect(without.responses[0]).not.toMatchObject({ capabilities: expect.arrayContaining(["changes"]) });
  await without.close();
  expect(stage.responses[0]).toMatchObject({ capabilities: expect.arrayContaining(["changes"]) });
});

test("too many paths are refused, and a deleted conversation takes its changes along", async () => {
  const { stage, ask, list } = await openChangeStage(calls("write_file", { path: "a.txt", content: "two" }));
  stage.send(say("t1", "write", "c"));
  await stage.endOf("t1");
  stage.send({ id: "r", kind: "revert_changes", conversationId: "c", paths: Array.from({ length: 1_001 }, () => "a") });
  expect(await stage.endOf("r")).toMatchObject({ type: "error", code: "invalid_message" });
  await ask({ id: "d", kind: "delete_conversation" });
  expect(await list("l")).toEqual([]);
  await stage.close();
});
