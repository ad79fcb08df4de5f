// Tools of a user's module that misbehave, in the real process: each costs its own call and nothing else.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { checkEnds, hostileTools, makePlace, say, startAgent } from "./process-stage.ts";
import { until } from "../../../../test/kit/until.ts";

const args = ["--model", "offline", "--tools", hostileTools];
const timeout = 240_000;
const oddTools = [
  ...["throws", "throws_nothing", "exits", "exits_by_name", "exits_later", "exits_softly", "throws_later", "rejects_later"],
  ...["emits_later", "reports_much", "prints", "pollutes", "returns_much", "returns_depth", "returns_cycle", "returns_half"],
  ...["returns_getter", "has_odd_then"],
];

it.concurrent(
  "RUN-10 G1: whatever a tool does, its turn ends once, nothing comes after, and the runtime is alive",
  { timeout },
  async () => {
    using place = makePlace();
    const agent = startAgent(place, { args });
    for (const name of oddTools) {
      agent.send(say(name, `call ${name}`));
      expect([name, (await agent.endOf(name))["type"]]).toEqual([name, "done"]);
      // Some of them strike a little later.
      await sleep(60);
      expect([name, await agent.isAlive()]).toEqual([name, true]);
    }
    expect(await agent.finish()).toBe(0);
    checkEnds(agent.responses);
    const reports = agent.of("reports_much").filter(({ type }) => type === "progress");
    expect(reports.map(({ data }) => [data.done, data.total, data.message?.length])).toEqual([
      [1, 2, 2_000],
      [undefined, undefined, 3],
      [undefined, undefined, undefined],
    ]);
  },
);

it.concurrent("G10 RUN-10: a tool that reports without end to a host that does not read fills no memory", { timeout }, async () => {
  using place = makePlace();
  const agent = startAgent(place, { args, isRead: false });
  agent.send(say("flood", "call floods"));
  await until(() => existsSync(join(place.folder, "flooded.txt")));
  const peak = agent.peakMegabytes();
  agent.process.stdout.resume();
  expect((await agent.endOf("flood"))["type"]).toBe("done");
  expect(await agent.finish()).toBe(0);
  checkEnds(agent.responses);
  expect(peak).toBeGreaterThan(20);
  expect(peak).toBeLessThan(256);
  expect(agent.stderr()).toBe("");
});
