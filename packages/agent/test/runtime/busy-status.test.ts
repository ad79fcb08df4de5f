// RUN-11 by order, not by a clock: however fast models speak, a host that asks meanwhile is answered between
// their words, since after some messages the runtime looks at what has come in.

import { setImmediate as nextLoop } from "node:timers/promises";
import { agentLimits } from "../../src/limits.ts";
import { expect, it } from "vitest";
import type { ModelEvent } from "../../src/model/model.ts";
import { openStage, say } from "./stage.ts";

const lanes = 60;
const words = 250;

/** Never waits for anything. */
function* speak(): Generator<ModelEvent> {
  for (let word = 0; word < words; word++) yield { type: "text", text: `word ${word} ` };
}

it("RUN-11: with 60 lanes busy, a few of their messages at most come between a get_status and its status", async () => {
  const stage = openStage({ script: speak });
  for (let lane = 0; lane < lanes; lane++) stage.send(say(`t${lane}`, "speak", `lane ${lane}`));
  await stage.next(({ type }) => type === "token");
  const asked: { state: string; between: number }[] = [];
  for (let round = 0; round < 10; round++) {
    // Where a line from outside is read.
    await nextLoop();
    const before = stage.responses.length;
    stage.send({ id: `s${round}`, kind: "get_status" });
    const status = await stage.endOf(`s${round}`);
    if (status.type === "status") asked.push({ state: status.data.state, between: stage.responses.indexOf(status) - before });
  }
  // All of them were asked while the lanes were at work, of whose messages most were still to come.
  expect(asked.map(({ state }) => state)).toEqual(Array.from({ length: 10 }, () => "busy"));
  // Those of the slice that ran, and those that were on their way through the pipe.
  expect(Math.max(...asked.map(({ between }) => between))).toBeLessThan(6 * agentLimits.agentSliceMessages);
  await stage.close();
  expect(stage.responses.filter(({ type }) => type === "token")).toHaveLength(lanes * words);
});
