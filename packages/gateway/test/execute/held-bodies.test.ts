// Bodies of many calls at the same time: each alone is within its limit, and together they are too.

import { gatewayLimits } from "../../src/limits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer } from "../../../../test/kit/api-stub.ts";
import { pooledKinds, stubOf } from "../core-fixture.ts";
import { until } from "../../../../test/kit/until.ts";

describe.each(pooledKinds)("the room that bodies share, with $kind", ({ coreOf }) => {
  it("G10 of calls whose largest bodies are not written yet only a few end; the others wait and end later", async () => {
    const body = Buffer.alloc(gatewayLimits.maxBodyBytes, "a");
    const stub = await stubOf((_request, response) => answer(response, 200, body));
    const core = coreOf(stub.url, { timeoutMs: 60_000 });
    const { promise: written, resolve: writeAll } = Promise.withResolvers<void>();
    let ended = 0;
    const calls = Array.from({ length: 8 }, async () => {
      const outcome = await core.call({ path: "/" }, { whenWritten: (tell) => void written.then(tell) });
      ended++;
      return outcome;
    });
    await until(() => ended > 0);
    await sleep(1_000);
    expect(ended).toBeLessThan(5);
    writeAll();
    expect((await Promise.all(calls)).map(({ response }) => response?.bytes)).toEqual(Array(8).fill(gatewayLimits.maxBodyBytes));
  });

  it("G10 the same holds for bodies that come in one piece", async () => {
    const { maxHeldBodyBytes } = gatewayLimits;
    onTestFinished(() => void Object.assign(gatewayLimits, { maxHeldBodyBytes }));
    gatewayLimits.maxHeldBodyBytes = 10;
    const stub = await stubOf((_request, response) => answer(response, 200, "x".repeat(100)));
    const core = coreOf(stub.url);
    const { promise: written, resolve: writeAll } = Promise.withResolvers<void>();
    let ended = 0;
    const calls = Array.from({ length: 4 }, async () => {
      const { response } = await core.call({ path: "/" }, { whenWritten: (tell) => void written.then(tell) });
      ended++;
      return response?.bytes;
    });
    await until(() => stub.requests.length === 4 && ended > 0);
    await sleep(100);
    expect(ended).toBe(1);
    writeAll();
    expect(await Promise.all(calls)).toEqual([100, 100, 100, 100]);
  });

  it("G10 a call that has ended leaves its room, whether or not anybody waits for it to be written", async () => {
    const stub = await stubOf((_request, response) => answer(response, 200, Buffer.alloc(gatewayLimits.maxBodyBytes, "a")));
    const core = coreOf(stub.url, { timeoutMs: 60_000 });
    for (let turn = 0; turn < 6; turn++) expect((await core.call({ path: "/" })).ok).toBe(true);
  });
});
