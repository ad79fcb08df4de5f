// Bodies of many calls at the same time: each alone is within its limit, and together they are too.

import { setTimeout as sleep } from "node:timers/promises";
import { createByteBudget, limits } from "@hawser/wire";
import { describe, expect, it } from "vitest";
import { openBodyRoom } from "../../src/execute/body-room.ts";
import { answer } from "../api-stub.ts";
import { coreOf, stubOf } from "../core-fixture.ts";

describe("the room that bodies share", () => {
  it("G10 of calls whose largest bodies are not written yet only a few end; the others wait and end later", async () => {
    const body = Buffer.alloc(limits.maxBodyBytes, "a");
    const stub = await stubOf((_request, response) => answer(response, 200, body));
    const core = coreOf(stub.url, { timeoutMs: 60_000 });
    const { promise: untilWritten, resolve: writeAll } = Promise.withResolvers<void>();
    let ended = 0;
    const calls = Array.from({ length: 8 }, async () => {
      const outcome = await core.call({ path: "/" }, { untilWritten });
      ended++;
      return outcome;
    });
    while (ended < 1) await sleep(10);
    await sleep(1_000);
    expect(ended).toBeLessThan(5);
    writeAll();
    expect((await Promise.all(calls)).map(({ response }) => response?.bytes)).toEqual(Array(8).fill(limits.maxBodyBytes));
  });

  it("G10 a call that has ended leaves its room, whether or not anybody waits for it to be written", async () => {
    const stub = await stubOf((_request, response) => answer(response, 200, Buffer.alloc(limits.maxBodyBytes, "a")));
    const core = coreOf(stub.url, { timeoutMs: 60_000 });
    for (let turn = 0; turn < 6; turn++) expect((await core.call({ path: "/" })).ok).toBe(true);
  });

  it("G10 whoever leaves wakes those who wait, and one of them may always go on", async () => {
    const budget = createByteBudget(10);
    const [first, second, third] = [openBodyRoom(budget), openBodyRoom(budget), openBodyRoom(budget)];
    expect(first.keep(9)).toBeUndefined();
    expect(second.keep(9)).toBeUndefined();
    const waiting = third.keep(1);
    expect(waiting).toBeInstanceOf(Promise);
    first.leave();
    second.leave();
    await waiting;
    expect(third.keep(10)).toBeUndefined();
  });
});
