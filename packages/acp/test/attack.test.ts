// Random faults between the runtime and an agent, counted one by one: whatever happens, every request has exactly one end, no process
// is left, and memory stays within G10. Short here; `npm run test:soak` has the long form.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { peakMegabytes } from "../../../test/kit/processes.ts";
import { makeHome, openRuntime, scriptedAgent, textOf, type Runtime } from "./runtime-stage.ts";

const link = fileURLToPath(new URL("fixtures/faulty-link.ts", import.meta.url));
const isLong = Boolean(process.env["HAWSER_LONG"]);
const wanted = isLong ? 500 : 24;
const allKinds = 13;
/** Until an agent has a session. What is lost before that is found out by the clock of its start, which takes a minute. */
const calmLines = isLong ? 0 : 4;
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

/** What the links have done until now, one name after the other. */
const faultsIn = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

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

/** Turn after turn until enough faults were done; how each ended. */
async function lane(runtime: Runtime, number: number, isEnough: () => boolean): Promise<string[]> {
  const ends: string[] = [];
  for (let at = 0; !isEnough(); at++) {
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

it(`G1 G10 G17 ${wanted} random faults: one end for each request, no process left, memory bounded`, { timeout: 1_800_000 }, async () => {
  const mark = `attack-${process.pid}-${Date.now()}`;
  const home = makeHome();
  const file = join(home, "faults");
  const runtime = await openRuntime({
    home,
    agents: { scripted: [] },
    command: [link, file, String(calmLines), scriptedAgent],
    env: { ATTACK_MARK: mark },
    config: { limits: { agentToolMs: 700, permissionMs: 100 } },
  });
  const results = await Promise.all(
    Array.from({ length: lanes }, (_, number) => lane(runtime, number, () => faultsIn(file).length >= wanted)),
  );
  const ends = results.flat();
  const faults = faultsIn(file);
  const megabytes = peakMegabytes(runtime.child.pid ?? 0);
  const kinds = [...new Set(faults)];
  const told = kinds.map((kind) => `${kind} ${faults.filter((name) => name === kind).length}`).join(", ");
  const count = (type: string): number => ends.filter((each) => each === type).length;
  console.log(
    `${faults.length} faults (${told}) in ${ends.length} turns: ${count("done")} done, ${count("error")} errors; at most ${Math.round(megabytes ?? 0)} MB`,
  );
  expect(count("done") + count("error")).toBe(ends.length);
  expect(faults.length).toBeGreaterThanOrEqual(wanted);
  if (isLong) expect(kinds).toHaveLength(allKinds);
  expect(megabytes).toBeLessThan(256);
  // It is still of use.
  const status = await runtime.ask({ kind: "get_status" });
  expect(status.at(-1)).toMatchObject({ type: "status", data: { running: 0, waiting: 0 } });
  expect(textOf(await runtime.say("hello", "calm", { metadata: { conversationId: "calm", model: "offline" } }))).not.toBe("");
  await runtime.close();
  await expect.poll(() => processesWith(mark)).toEqual([]);
});
