// Calls among each other: order, the bounds of the queue, cancelling, and how a session ends.

import { describe, expect, it } from "vitest";
import { after, cancelled, createScriptedCore, never, succeeded } from "./scripted-core.ts";
import { serve } from "./rpc-client.ts";
import { until } from "../../../../test/kit/until.ts";

const calls = (count: number, more: object = {}): object[] =>
  Array.from({ length: count }, (_, id) => ({ id, op: "call", args: { path: `/${id}` }, ...more }));

describe("order", () => {
  it("R80 one worker answers calls in the order in which they came", async () => {
    const { client } = serve(createScriptedCore(after(({ path }) => (path === "/0" ? 30 : 1))));
    await client.send(...calls(20));
    expect((await client.count(20)).map(({ id }) => id)).toEqual(calls(20).map((_, id) => id));
  });

  it("R80 with four workers a slow first call is overtaken", async () => {
    const gate = Promise.withResolvers<void>();
    const core = createScriptedCore(({ path }) => (path === "/0" ? gate.promise : Promise.resolve()).then(() => succeeded("")));
    const { client } = serve(core, { workers: 4 });
    await client.send(...calls(4));
    expect((await client.count(3)).map(({ id }) => id)).not.toContain(0);
    gate.resolve();
    expect((await client.count(4))[3]?.id).toBe(0);
  });

  it.each([1, 8, 64])("RPC-01 R77 5,000 calls with %i workers and random delays: each answered once, nothing mixed up", async (workers) => {
    const allBusy = Promise.withResolvers<void>();
    const core = createScriptedCore(async (item) => {
      // However slow the machine is, there is a moment at which all workers are at it.
      if (core.running === workers) allBusy.resolve();
      await allBusy.promise;
      // One worker waits for each delay by itself, and nothing can overtake it: a few of them do.
      if (Math.random() < (workers === 1 ? 0.04 : 0.3)) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      return succeeded(`nonce of ${item.path}`);
    });
    const { client } = serve(core, { workers });
    await client.send(...calls(5_000));
    const answers = await client.count(5_000);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(5_000);
    for (const { id, data } of answers) expect(data.response?.body).toBe(`nonce of /${String(id)}`);
    expect(core.peak).toBe(workers);
  });
});

describe("the bounds of the queue", () => {
  it("O6 H21 H29 with one worker and an exactly full queue, cancel and hello are read and acted on", async () => {
    const { client } = serve(createScriptedCore(never), { workers: 1, queueSize: 4 });
    await client.send(...calls(5), { id: "h", op: "hello" }, { id: "c", op: "cancel", args: { id: 0 } });
    await client.count(3);
    expect(client.of("h")).toMatchObject([{ ok: true }]);
    expect(client.of("c")).toEqual([{ id: "c", ok: true, code: 0, data: { id: 0, cancelled: true, count: 1 } }]);
    expect(client.of(0)).toMatchObject([{ ok: false, code: 7, data: { cancelled: true } }]);
  });

  it("RPC-02 R110 1,000 calls pushed at one worker and four places: 1,000 answers in order, never more than four waiting", async () => {
    const core = createScriptedCore(after(0));
    const { client } = serve(core, { workers: 1, queueSize: 4 });
    await client.send(...calls(1_000));
    const answers = await client.count(1_000);
    expect(answers.map(({ id }) => id)).toEqual(calls(1_000).map((_, id) => id));
    expect(Math.max(...answers.map(({ data }) => data.stats?.rpc?.queueDepth ?? 0))).toBe(4);
  });

  it("RPC-02 G11 H29 with overflow reject, what finds no place is refused with its id, and may be tried again", async () => {
    const core = createScriptedCore(never);
    const { client } = serve(core, { workers: 1, queueSize: 4, overflow: "reject" });
    await client.send(...calls(1_000));
    const answers = await client.count(995);
    expect(answers.map(({ id }) => id)).toEqual(
      calls(1_000)
        .map((_, id) => id)
        .slice(5),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ ok: false, code: 7, data: { errorInfo: { kind: "overloaded", retryable: true } } });
    }
    await client.send({ id: "end", op: "shutdown", args: { mode: "now" } });
    expect(await client.count(1_001)).toHaveLength(1_001);
    expect(core.items.length).toBe(1);
  });

  it("G10 queued text is bounded: the sixth call of 9 MB finds no room though there are places", async () => {
    const core = createScriptedCore(never);
    const { client } = serve(core, { workers: 1, queueSize: 64, overflow: "reject" });
    const body = "x".repeat(9_000_000);
    for (let id = 0; id < 6; id++) await client.send({ id, op: "call", args: { path: "/", body } });
    expect(await client.count(2)).toMatchObject([
      { id: 4, data: { errorInfo: { kind: "overloaded" } } },
      { id: 5, data: { errorInfo: { kind: "overloaded" } } },
    ]);
  });

  it("G10 G11 answers that the host does not read stop the calls, and go on when it reads", async () => {
    const gate = Promise.withResolvers<void>();
    const core = createScriptedCore(() => gate.promise.then(() => succeeded("x".repeat(4_000_000))));
    const { server, client } = serve(core, { workers: 4 });
    const [realSend, release] = [server.send, Promise.withResolvers<void>()];
    server.send = (message) => release.promise.then(() => realSend.call(server, message));
    await client.send(...calls(26));
    gate.resolve();
    await until(() => core.items.length >= 9);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // 32 MiB are nine such answers; as many more as there are workers may have been running.
    expect(core.items.length).toBeLessThanOrEqual(13);
    release.resolve();
    await client.count(26);
  });
});

describe("cancel", () => {
  it("RPC-03 H25 two calls with one id are both answered, and cancel hits both", async () => {
    const { client } = serve(createScriptedCore(never), { workers: 1 });
    const call = { id: "same", op: "call" };
    await client.send(call, call, { id: "c", op: "cancel", args: { id: "same" } });
    await client.count(3);
    expect(client.of("c")).toEqual([{ id: "c", ok: true, code: 0, data: { id: "same", cancelled: true, count: 2 } }]);
    expect(client.of("same")).toMatchObject([
      { ok: false, code: 7, data: { cancelled: true, errorInfo: { kind: "cancelled" } } },
      { ok: false, code: 7, data: { cancelled: true } },
    ]);
  });

  it("H21 a waiting call is cancelled without having been made, and its place is free at once", async () => {
    const core = createScriptedCore(never);
    const { client } = serve(core, { queueSize: 1, overflow: "reject" });
    await client.send({ id: "a", op: "call" }, { id: "b", op: "call" }, { id: "c", op: "cancel", args: { requestId: "b" } });
    await client.send({ id: "d", op: "call" }, { id: "h", op: "hello" });
    await until(() => client.of("h").length === 1);
    expect(client.of("b")).toMatchObject([{ code: 7, data: { cancelled: true } }]);
    expect(client.of("d")).toEqual([]);
    expect(core.items.length).toBe(1);
  });

  it("an unknown or ended id is no error, and requestId goes before id", async () => {
    const { client } = serve(createScriptedCore());
    await client.send({ id: "a", op: "call" });
    await client.count(1);
    await client.send({ op: "cancel", args: { id: "a" } }, { op: "cancel", args: { requestId: 5, id: "a" } });
    const answers = await client.count(3);
    expect(answers.slice(1).map(({ data }) => data)).toEqual([
      { id: "a", cancelled: false, count: 0 },
      { id: 5, cancelled: false, count: 0 },
    ]);
  });

  it('H26 ids are the same when their text is, escapes aside: 1 is neither "1" nor 1.0', async () => {
    const { client } = serve(createScriptedCore(never), { workers: 8 });
    await client.sendText(...['"1"', "1", "1.0", '"\\u0061"', "9007199254740993", '{"k":1}'].map((id) => `{"id":${id},"op":"call"}`));
    const targets = ["1", '"a"', "9007199254740992", "9007199254740993", '{"k":1}'];
    await client.sendText(...targets.map((id) => `{"id":"c","op":"cancel","args":{"id":${id}}}`));
    await until(() => client.of("c").length === targets.length);
    expect(client.of("c").map(({ data }) => data.count)).toEqual([1, 1, 0, 1, 1]);
  });

  it.each([undefined, {}, { id: null }, 5, { requestId: null }])("args %j of a cancel name no call: code 2", async (args) => {
    const { client } = serve(createScriptedCore());
    await client.send({ id: "c", op: "cancel", args });
    expect(await client.count(1)).toMatchObject([{ id: "c", ok: false, code: 2 }]);
  });

  it("R88 every failed call says whether it was cancelled, as hosts of igw expect, and one that succeeded says nothing", async () => {
    const core = createScriptedCore(({ path }) =>
      Promise.resolve(path === "/fails" ? { ok: false, code: 7, error: "http 500", status: 500 } : succeeded("")),
    );
    const { client } = serve(core);
    await client.send({ id: "fails", op: "call", args: { path: "/fails" } }, { id: "bad", op: "call", args: { path: 5 } }, ...calls(1));
    await client.count(3);
    for (const id of ["fails", "bad"]) expect(client.of(id)).toMatchObject([{ ok: false, data: { cancelled: false } }]);
    expect(client.of(0)[0]?.data).not.toHaveProperty("cancelled");
  });

  it("R88 G2 an answer that is too long without its body says that it was not cancelled", async () => {
    const headers = { big: ["x".repeat(11_000_000)] };
    const { client } = serve(createScriptedCore(() => Promise.resolve({ response: { status: 200, body: "x", bytes: 1, headers } })));
    await client.send({ id: "a", op: "call" });
    expect(await client.count(1)).toMatchObject([{ id: "a", ok: false, data: { cancelled: false } }]);
  });

  it("calls without an id are named by no cancel", async () => {
    const release = Promise.withResolvers<void>();
    const { client } = serve(createScriptedCore(() => release.promise.then(() => succeeded(""))));
    await client.send({ op: "call" }, { id: "c", op: "cancel", args: { id: "" } });
    await client.count(1);
    release.resolve();
    expect(await client.count(2)).toMatchObject([{ data: { count: 0 } }, { ok: true }]);
  });

  it("G1 a core that does not stop is not waited for, and its late end is not a second answer", async () => {
    const release = Promise.withResolvers<void>();
    const { client } = serve(createScriptedCore(() => release.promise.then(() => succeeded("late"))));
    await client.send({ id: "a", op: "call" }, { id: "c", op: "cancel", args: { id: "a" } }, { id: "b", op: "call" });
    await until(() => client.of("a").length === 1);
    expect(client.of("a")).toMatchObject([{ code: 7, data: { cancelled: true } }]);
    release.resolve();
    await until(() => client.of("b").length === 1);
    expect(client.answers).toHaveLength(3);
  });

  it("a call that ended well just as it was cancelled is answered as cancelled, with what is known", async () => {
    const core = createScriptedCore(
      (_item, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(succeeded("done")))),
    );
    const { client } = serve(core);
    await client.send({ id: "a", op: "call" }, { id: "c", op: "cancel", args: { id: "a" } });
    await client.count(2);
    expect(client.of("a")).toMatchObject([{ ok: false, code: 7, status: 200, data: { cancelled: true, response: { body: "done" } } }]);
  });
});

describe("the end of a session", () => {
  it("RPC-04 R95 H27 shutdown with 50 calls waiting: all answered, the acknowledgement last, later input ignored", async () => {
    const { client, served } = serve(createScriptedCore(after(1)), { workers: 4 });
    await client.send(...calls(50), { id: "bye", op: "shutdown" }, { id: "late", op: "hello" }, { id: "later", op: "call" });
    await served;
    await client.ended;
    expect(client.answers).toHaveLength(51);
    expect(client.answers[50]).toEqual({ id: "bye", ok: true, code: 0, data: { shutdown: true } });
    expect(client.answers.slice(0, 50).every(({ ok }) => ok)).toBe(true);
  });

  it("H27 shutdown with mode now cancels what waits and runs, and is still acknowledged last", async () => {
    const core = createScriptedCore(never);
    const { client, served } = serve(core, { workers: 2 });
    await client.send(...calls(10), { id: "bye", op: "shutdown", args: { mode: "now" } });
    await served;
    expect(client.answers).toHaveLength(11);
    expect(client.answers[10]).toMatchObject({ id: "bye", ok: true });
    expect(client.answers.slice(0, 10).every(({ code, data }) => code === 7 && data.cancelled === true)).toBe(true);
    expect(core.items.length).toBe(2);
  });

  it("G8 after a signal nothing starts: waiting calls are answered as cancelled, the running one may finish", async () => {
    const release = Promise.withResolvers<void>();
    const core = createScriptedCore(() => release.promise.then(() => succeeded("")));
    const { client, served, lifecycle } = serve(core);
    await client.send(...calls(5));
    await until(() => core.items.length === 1);
    lifecycle.end("signal", 60_000);
    release.resolve();
    await served;
    expect(client.of(0)).toMatchObject([{ ok: true }]);
    for (const id of [1, 2, 3, 4]) expect(client.of(id)).toMatchObject([{ ok: false, code: 7, data: { cancelled: true } }]);
    expect(core.items.length).toBe(1);
  });

  it("G8 when the time is over, running calls and one that the reader holds are cancelled and answered", async () => {
    const core = createScriptedCore(
      (_item, signal) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(cancelled))),
    );
    const { client, served, lifecycle } = serve(core, { workers: 1, queueSize: 1 });
    await client.send(...calls(3));
    await until(() => core.items.length === 1);
    lifecycle.end("signal", 20);
    await served;
    expect(new Set(client.answers.map(({ id }) => id))).toEqual(new Set([0, 1, 2]));
    expect(core.items.length).toBe(1);
  });

  it("H28 when the host is gone, what waits is not made and what runs is cancelled", async () => {
    const core = createScriptedCore(never);
    const { client, host, served } = serve(core, { workers: 2 });
    await client.send(...calls(30));
    await until(() => core.running === 2);
    await host.close();
    await served;
    await until(() => core.running === 0);
    expect(core.items.length).toBe(2);
  });
});
