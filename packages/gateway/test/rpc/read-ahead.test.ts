// Control operations behind a full queue: the reader reads ahead for them as far as its bound, and no
// further. The calls that it meets on the way wait in their order, and can be cancelled like any other.

import { setTimeout as sleep } from "node:timers/promises";
import { gatewayLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { createScriptedCore, never, succeeded } from "./scripted-core.ts";
import { serve } from "./rpc-client.ts";
import { until } from "../../../../test/kit/until.ts";
import { line, startRpc } from "./rpc-process.ts";

const calls = (count: number, args: object = {}): { id: number; op: string; args: object }[] =>
  Array.from({ length: count }, (_, id) => ({ id, op: "call", args: { path: `/${id}`, ...args } }));
const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

describe("a full queue that blocks", () => {
  it("H29 G11 hello, capability, reload_config, cancel and a broken line behind it are answered at once, and the calls in order", async () => {
    const release = Promise.withResolvers<void>();
    const core = createScriptedCore(() => release.promise.then(() => succeeded("")));
    const { client } = serve(core, { workers: 1, queueSize: 2 });
    await client.send(...calls(9), { id: "h", op: "hello" }, { id: "f", op: "capability" });
    await client.send(
      { id: "r", op: "reload_config" },
      { id: "q", op: "cancel", args: { id: 1 } },
      { id: "x", op: "cancel", args: { id: 7 } },
    );
    await client.send({ id: "b", op: "no such operation" });
    const first = await client.count(8);
    expect(new Set(first.map(({ id }) => id))).toEqual(new Set([1, 7, "b", "f", "h", "q", "r", "x"]));
    for (const id of ["q", "x"]) expect(client.of(id)).toMatchObject([{ ok: true, data: { cancelled: true, count: 1 } }]);
    for (const id of [1, 7]) expect(client.of(id)).toMatchObject([{ ok: false, code: 7, data: { cancelled: true } }]);
    release.resolve();
    expect((await client.count(15)).slice(8).map(({ id }) => id)).toEqual([0, 2, 3, 4, 5, 6, 8]);
    expect(core.items.map(({ path }) => path)).toEqual(["/0", "/2", "/3", "/4", "/5", "/6", "/8"]);
  });

  it("H29 what was read ahead has waited since it was read, and is not part of the queue's depth", async () => {
    const release = Promise.withResolvers<void>();
    const { client } = serve(
      createScriptedCore(() => release.promise.then(() => succeeded(""))),
      { workers: 1, queueSize: 2 },
    );
    await client.send(...calls(9), { id: "h", op: "hello" });
    await client.count(1);
    await sleep(60);
    release.resolve();
    const answers = (await client.count(10)).slice(1);
    for (const { data } of answers.slice(1)) expect(data.stats?.rpc?.queueWaitMs).toBeGreaterThanOrEqual(50);
    expect(answers.map(({ data }) => data.stats?.rpc?.queueDepth)).toEqual([0, 2, 2, 2, 2, 2, 2, 1, 0]);
  });

  it("H29 R95 shutdown does not overtake: the calls before it, read ahead or not, are made and answered first", async () => {
    const core = createScriptedCore();
    const { client, served } = serve(core, { workers: 1, queueSize: 1 });
    await client.send(...calls(20), { id: "bye", op: "shutdown" });
    await served;
    expect(client.answers.map(({ id }) => id)).toEqual([...ids(20), "bye"]);
    expect(client.answers.every(({ ok }) => ok)).toBe(true);
  });

  it("G8 G1 when the process is told to stop, calls that were read ahead are answered once and not made", async () => {
    const core = createScriptedCore(never);
    const { client, served, lifecycle } = serve(core, { workers: 1, queueSize: 1 });
    await client.send(...calls(20), { id: "h", op: "hello" });
    await client.count(1);
    lifecycle.end("signal", 10);
    await served;
    expect(
      client.answers
        .slice(1)
        .map(({ id }) => Number(id))
        .toSorted((one, other) => one - other),
    ).toEqual(ids(20));
    expect(core.items).toHaveLength(1);
  });

  it("G11 at its bound the reader stops, a hello behind it waits, and goes on when a call moves up", async () => {
    const gates: (() => void)[] = [];
    const core = createScriptedCore(() => new Promise((resolve) => gates.push(() => resolve(succeeded("")))));
    const { client } = serve(core, { workers: 1, queueSize: 1 });
    // One runs, one waits, and two are as much as may be read ahead.
    await client.send(...calls(4, { body: "x".repeat(gatewayLimits.rpcReadAheadBytes / 2) }), { id: "h", op: "hello" });
    await until(() => gates.length === 1);
    await sleep(50);
    expect(client.answers).toEqual([]);
    gates[0]?.();
    expect(new Set((await client.count(2)).map(({ id }) => id))).toEqual(new Set([0, "h"]));
    for (const call of [1, 2, 3]) {
      await until(() => gates.length > call);
      gates[call]?.();
    }
    await client.count(5);
    expect(client.answers.filter(({ id }) => id !== "h").map(({ id }) => id)).toEqual(ids(4));
  });
});

describe("as a process", () => {
  it("H29 G11 199 calls that hang and one worker: hello is answered, and cancel ends a waiting call and one that was read ahead", async () => {
    const rpc = startRpc();
    const hanging = calls(199, { path: "/never" }).map(line).join("");
    const control = [
      { id: "h", op: "hello" },
      { id: "c1", op: "cancel", args: { id: 10 } },
      { id: "c2", op: "cancel", args: { id: 190 } },
      { id: "c3", op: "cancel", args: { id: 0 } },
    ];
    await rpc.write(hanging + control.map(line).join(""));
    await rpc.count(7);
    const of = (id: unknown) => rpc.answers.filter((answer) => answer.id === id);
    expect(of("h")).toMatchObject([{ ok: true }]);
    for (const [id, target] of [
      ["c1", 10],
      ["c2", 190],
      ["c3", 0],
    ] as const) {
      expect(of(id)).toMatchObject([{ ok: true, data: { id: target, cancelled: true, count: 1 } }]);
      expect(of(target)).toMatchObject([{ ok: false, code: 7, data: { cancelled: true } }]);
    }
    await rpc.write(line({ id: "bye", op: "shutdown", args: { mode: "now" } }));
    expect(await rpc.exited).toEqual({ code: 0, signal: null });
    expect(rpc.answers).toHaveLength(199 + control.length + 1);
    expect(rpc.answers.at(-1)?.id).toBe("bye");
  });
});
