// Random faults between the runtime and an agent: whatever happens, every request has exactly one end, no process is left, and
// memory stays within G10. Short here; `npm run test:soak` has the long form.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openRuntime, scriptedAgent, textOf, type Runtime } from "./runtime-stage.ts";

const link = fileURLToPath(new URL("fixtures/faulty-link.ts", import.meta.url));
const turns = process.env["HAWSER_LONG"] ? 500 : 24;
const lanes = 6;

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const update = (value: object): string => `update ${JSON.stringify(value)}`;
const message = [
  "think Hmm",
  ...Array.from({ length: 8 }, (_, at) => `say piece ${at} `),
  update({ sessionUpdate: "tool_call", toolCallId: "a", title: "ls", kind: "execute", rawInput: { command: "ls" } }),
  update({ sessionUpdate: "tool_call_update", toolCallId: "a", status: "completed" }),
  `ask ${JSON.stringify({ toolCall: { toolCallId: "b", title: "rm", rawInput: { command: "rm" } }, options })}`,
  update({ sessionUpdate: "plan", entries: [{ content: "x", priority: "low", status: "pending" }] }),
  "flood 50 500",
  "say end",
].join("\n");

const rssOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Processes that carry this word in their environment, besides ours. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/environ`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}

async function lane(runtime: Runtime, number: number, count: number): Promise<string[]> {
  const ends: string[] = [];
  for (let at = 0; at < count; at++) {
    const id = runtime.begin(message, `lane ${number}`);
    // Some are cancelled somewhere on the way.
    if ((at + number) % 5 === 0) {
      await runtime.until(() => runtime.of(id)[at % 7] ?? runtime.of(id).find(({ type }) => type === "done" || type === "error"));
      await runtime.ask({ kind: "cancel", target: id });
    }
    ends.push((await runtime.endOf(id)).at(-1)?.type ?? "");
  }
  return ends;
}

it(`G1 G10 G17 ${turns} turns with random faults: one end each, no process left, memory bounded`, { timeout: 1_800_000 }, async () => {
  const mark = `attack-${process.pid}-${Date.now()}`;
  const runtime = await openRuntime({
    agents: { scripted: [] },
    command: [link, "1", scriptedAgent],
    env: { ATTACK_MARK: mark },
    config: { limits: { agentToolMs: 700, permissionMs: 100 } },
  });
  const results = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(runtime, number, Math.ceil(turns / lanes))));
  const ends = results.flat();
  expect(ends.every((type) => type === "done" || type === "error")).toBe(true);
  expect(new Set(ends)).toEqual(new Set(["done", "error"]));
  expect(rssOf(runtime.child.pid ?? 0)).toBeLessThan(256);
  // It is still of use.
  const status = await runtime.ask({ kind: "get_status" });
  expect(status.at(-1)).toMatchObject({ type: "status", data: { running: 0, waiting: 0 } });
  expect(textOf(await runtime.say("hello", "calm", { metadata: { conversationId: "calm", model: "offline" } }))).not.toBe("");
  await runtime.close();
  await expect.poll(() => processesWith(mark)).toEqual([]);
});
