// What each operation answers, and under which id: every line of the contract as a host sees it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rpcProtocol, type DirectionDefinition } from "@hawser/protocol/internal";
import { createScriptedCore, never, succeeded } from "./scripted-core.ts";
import { serve } from "./rpc-client.ts";
import { until } from "../../../../test/kit/until.ts";

describe("hello and capability", () => {
  it("R85 R91 R96 R97 R98 R99 R100 R101 hello answers who serves, whatever its arguments are", async () => {
    const { client } = serve(createScriptedCore());
    await client.sendText('{"id":"req-1","op":"hello","args":{"name":"rpcWorkers"}}', '{"id":2,"op":"hello","args":7}');
    const [hello, again] = await client.count(2);
    expect(hello).toMatchObject({ id: "req-1", ok: true, code: 0, data: { protocol: "igw-rpc-v1", version: "1.2.3" } });
    expect(hello?.data.protocolSemver).toMatch(/^1\.\d+\.\d+$/);
    expect(hello?.data.minHostSemver).toBe("1.0.0");
    const origin = "rpcWorkers rpcQueueSize sharedCallCoreV1 callStatsV1 hello capability call cancel reloadConfig shutdown".split(" ");
    for (const name of origin) expect(hello?.data.features).toHaveProperty(name, true);
    expect(again?.data).toEqual(hello?.data);
  });

  it("R101 every operation that hello lists is known", async () => {
    const { client } = serve(createScriptedCore());
    await client.send({ op: "hello" });
    const [hello] = await client.count(1);
    const ops = hello?.data.ops as string[];
    expect(ops).toEqual(["hello", "capability", "call", "cancel", "reload_config", "shutdown"]);
    for (const op of ops) await client.send({ id: op, op, args: { id: "none" } });
    await client.count(1 + ops.length);
    for (const op of ops) expect(client.of(op)).toMatchObject([{ ok: true, code: 0 }]);
  });

  it("R105 what each operation answers in data is what the definition says", async () => {
    const { client } = serve(createScriptedCore());
    const { messages }: DirectionDefinition = rpcProtocol.definition.requests;
    const sent = Object.entries(messages).flatMap(([op, { examples }]) => examples.map((example) => ({ ...(example as object), id: op })));
    await client.send(...sent);
    for (const { id, data } of await client.count(sent.length))
      expect(messages[id as string]?.answer?.["~standard"].validate(data)).toEqual({ typed: true, value: data });
  });

  it("R92 capability without a name gives all features, with one whether it is there, in its own spelling", async () => {
    const { client } = serve(createScriptedCore());
    await client.send(
      { op: "capability" },
      { op: "capability", args: { name: " RPCWORKERS " } },
      { op: "capability", args: { name: "x" } },
    );
    const [all, known, unknown] = await client.count(3);
    expect(Object.keys(all?.data ?? {})).toEqual(["protocol", "protocolSemver", "features"]);
    expect(known).toEqual({ ok: true, code: 0, data: { name: "rpcWorkers", supported: true } });
    expect(unknown?.data).toEqual({ name: "x", supported: false });
  });

  it("R92 capability refuses a name that is no text", async () => {
    const { client } = serve(createScriptedCore());
    await client.send({ id: 1, op: "capability", args: { name: 5 } }, { id: 2, op: "capability", args: [] });
    expect(await client.count(2)).toMatchObject([
      { id: 1, ok: false, code: 2 },
      { id: 2, ok: false, code: 2 },
    ]);
  });
});

describe("ids", () => {
  const echoed = ['"a"', "0", '""', "-0", "1.0", "9007199254740993", "1e400", '"\\u0061"', '"💥"', "{}", "[]", "true", '{"a" : [1, 2]}'];
  it.each(echoed)("R82 G6 H26 echoes %s byte for byte, in the answer of a call and of the reader", async (id) => {
    const { client } = serve(createScriptedCore());
    await client.sendText(`{"id":${id},"op":"call","args":{}}`, `{"op":"hello","id" : ${id} }`, `{"id":${id}}`);
    await client.count(3);
    for (const text of client.texts) expect(text.startsWith(`{"id":${id},"ok":`)).toBe(true);
  });

  it.each(['{"op":"hello"}', '{"id":null,"op":"hello"}', '{"id":null,"op":"call"}', '{"id":null}'])(
    "R82 answers %s without an id",
    async (line) => {
      const { client } = serve(createScriptedCore());
      await client.sendText(line);
      const [answer] = await client.count(1);
      expect(answer).not.toHaveProperty("id");
    },
  );

  it("G1 refuses an id that no answer has room for, without it, before the call is made", async () => {
    const core = createScriptedCore();
    const { client } = serve(core);
    await client.sendText(`{"id":"${"x".repeat(3_000_000)}","op":"call"}`, '{"id":1,"op":"hello"}');
    expect(await client.count(2)).toMatchObject([
      { ok: false, code: 2, data: { line: 1 } },
      { id: 1, ok: true },
    ]);
    expect(client.answers[0]).not.toHaveProperty("id");
    expect(core.items).toEqual([]);
  });
});

describe("requests that are none", () => {
  it("R83 a request without op is refused with its id", async () => {
    const { client } = serve(createScriptedCore());
    await client.sendText("{}", '{"id":"x","op":5}', '{"id":"y","op":"nope"}');
    expect(await client.count(3)).toMatchObject([
      { ok: false, code: 2 },
      { id: "x", ok: false, code: 2 },
      { id: "y", ok: false, code: 2, error: expect.stringContaining('unknown rpc op "nope"') as string },
    ]);
  });

  it("RPC-17 op is trimmed and matched without case", async () => {
    const { client } = serve(createScriptedCore());
    await client.send({ op: "  HeLLo " }, { op: "CALL", args: { path: "/a" } }, { op: "Reload_Config" });
    const answers = await client.count(3);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it.each(["5", '"hello"', "null", "[]", "true"])(
    "H23 RPC-17 a line that is %s is no request, and says which line it was",
    async (line) => {
      const { client } = serve(createScriptedCore());
      await client.sendText('{"op":"hello"}', line);
      const [, answer] = await client.count(2);
      expect(answer).toEqual({
        ok: false,
        code: 2,
        error: expect.stringMatching(/^invalid rpc request json: /) as string,
        data: { line: 2 },
      });
    },
  );

  it("R87 call arguments of wrong types are refused with code 2, never made, and keep their place in the order", async () => {
    const core = createScriptedCore();
    const { client } = serve(core);
    const wrong = [
      5,
      "x",
      [],
      { method: 5 },
      { query: "a=b" },
      { headers: [1] },
      { retry: 1.5 },
      { retry: "2" },
      { yes: "yes" },
      { params: [] },
    ];
    for (const [id, args] of wrong.entries()) await client.send({ id, op: "call", args });
    const answers = await client.count(wrong.length);
    expect(answers.map(({ id }) => id)).toEqual(wrong.map((_, index) => index));
    for (const answer of answers) {
      expect(answer).toMatchObject({ ok: false, code: 2, data: { errorInfo: { kind: "usage", retryable: false } } });
      expect(answer.error).toMatch(/^invalid call args: /);
    }
    expect(core.items.length).toBe(0);
  });

  it("R84 null arguments and null members count as left out, unknown ones are passed over", async () => {
    const core = createScriptedCore();
    const { client } = serve(core);
    await client.send({ op: "call", args: null }, { op: "call", args: { path: "/a", yes: null, zzz: 1 }, zzz: 2 });
    expect((await client.count(2)).map(({ ok }) => ok)).toEqual([true, true]);
    expect(core.items).toEqual([{}, { path: "/a", zzz: 1 }]);
  });

  it("RPC-17 whatever an object holds, it gets one answer with a known code and the server lives", async () => {
    const { client } = serve(createScriptedCore());
    const op = fc.oneof(fc.constantFrom("hello", "capability", "call", "cancel", "reload_config", " Call"), fc.jsonValue());
    const request = fc.record({ id: fc.jsonValue(), op, args: fc.jsonValue(), more: fc.jsonValue() }, { requiredKeys: [] });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(request, async (value) => {
        await client.send(value);
        const answers = await client.count(++count);
        const { ok, code, error } = answers[count - 1]!;
        expect([0, 2]).toContain(code);
        expect(ok).toBe(code === 0);
        expect(error === undefined).toBe(ok);
      }),
      { numRuns: 500 },
    );
  });
});

describe("call", () => {
  it("R86 R88 R89 R90 R93 gives what the core gives, with the times of the queue", async () => {
    const { client } = serve(createScriptedCore(() => Promise.resolve(succeeded("body"))));
    await client.send({ id: "a", op: "call", args: { method: "GET", path: "/" } });
    const [answer] = await client.count(1);
    expect(answer).toEqual({
      id: "a",
      ok: true,
      code: 0,
      status: 200,
      data: {
        request: { method: "GET", url: "http://127.0.0.1/" },
        response: { status: 200, body: "body", bytes: 4 },
        timingMs: 1,
        stats: { version: 1, timingMs: 1, bodyBytes: 4, rpc: { queueWaitMs: expect.any(Number) as number, queueDepth: 0 } },
      },
    });
  });

  it("O7 H22 R88 a failed call keeps its status, its body and says whether it may be tried again", async () => {
    const failed = succeeded('{"why":"x"}', {
      ok: false,
      code: 7,
      status: 503,
      error: "http 503",
      errorInfo: { kind: "http", retryable: true },
    });
    const { client } = serve(createScriptedCore(() => Promise.resolve(failed)));
    await client.send({ id: "a", op: "call" });
    const [answer] = await client.count(1);
    expect(answer).toMatchObject({ ok: false, code: 7, status: 503, error: "http 503" });
    expect(answer?.data).toMatchObject({ response: { body: '{"why":"x"}' }, errorInfo: { kind: "http", retryable: true } });
  });

  it("G1 a core that throws, against its promise, still ends the call", async () => {
    const { client } = serve(createScriptedCore(() => Promise.reject(new Error("bug"))));
    await client.send({ id: "a", op: "call" }, { id: "b", op: "hello" });
    await client.count(2);
    expect(client.of("a")).toMatchObject([{ ok: false, code: 7, error: "bug", data: { errorInfo: { kind: "internal" } } }]);
  });

  it.each([
    ["control characters", "\u0001", undefined],
    ["emoji", "💥", undefined],
    ["base64", "QUJD", "base64" as const],
  ])("G2 a body of %s that is too long as JSON is cut, and the line stays below the limit", async (_, unit, bodyEncoding) => {
    const body = unit.repeat(12_000_000 / unit.length);
    const response = { status: 200, body, bytes: 12_000_000, ...(bodyEncoding && { bodyEncoding }) };
    const { client } = serve(createScriptedCore(() => Promise.resolve({ response })));
    await client.send({ id: "a", op: "call" });
    const [answer] = await client.count(1);
    expect(Buffer.byteLength(client.texts[0] ?? "") + 1).toBeLessThan(10_485_760);
    const kept = answer?.data.response as { body: string; bytes: number; truncated: boolean };
    expect(answer).toMatchObject({ ok: true, data: { response: { truncated: true }, stats: { truncated: true, bodyBytes: kept.bytes } } });
    expect(kept.body.length).toBeGreaterThan(1_000_000);
    expect(body.startsWith(kept.body)).toBe(true);
    expect(kept.body.isWellFormed()).toBe(true);
    expect(Buffer.from(kept.body, bodyEncoding ?? "utf8").length).toBe(kept.bytes);
  });

  it("G2 an answer that is too long without its body becomes an error", async () => {
    const headers = { big: ["x".repeat(11_000_000)] };
    const { client } = serve(createScriptedCore(() => Promise.resolve({ response: { status: 200, body: "x", bytes: 1, headers } })));
    await client.send({ id: "a", op: "call" });
    expect(await client.count(1)).toMatchObject([{ id: "a", ok: false, code: 7, status: 200, data: { errorInfo: { kind: "too_large" } } }]);
  });
});

describe("reload_config", () => {
  it("R94 calls that were read after it are made with the new configuration, running ones keep theirs", async () => {
    const release = Promise.withResolvers<void>();
    const core = createScriptedCore(
      (_item, _signal, reloads) => Promise.resolve(succeeded(String(reloads))),
      () => release.promise,
    );
    const { client } = serve(core, { workers: 4 });
    await client.send({ id: "before", op: "call" }, { id: "reload", op: "reload_config" }, { id: "after", op: "call" });
    await client.count(1);
    expect(client.answers[0]).toMatchObject({ id: "before", data: { response: { body: "0" } } });
    release.resolve();
    await client.count(3);
    expect(client.of("reload")).toEqual([{ id: "reload", ok: true, code: 0, data: { reloaded: true } }]);
    expect(client.of("after")).toMatchObject([{ data: { response: { body: "1" } } }]);
  });

  it("R80 does not stop the reader: a cancel behind it acts at once, and answers in its turn", async () => {
    const release = Promise.withResolvers<void>();
    const { client } = serve(createScriptedCore(never, () => release.promise));
    await client.send(
      { id: "a", op: "call" },
      { id: "r", op: "reload_config" },
      { id: "c", op: "cancel", args: { id: "a" } },
      { id: "h", op: "hello" },
    );
    const [first] = await client.count(1);
    expect(first).toMatchObject({ id: "a", code: 7, data: { cancelled: true } });
    release.resolve();
    expect((await client.count(4)).map(({ id }) => id)).toEqual(["a", "r", "c", "h"]);
  });

  it("RPC-14 a broken configuration is refused with code 2 and the server goes on with the old one", async () => {
    let isBroken = true;
    const core = createScriptedCore(undefined, () => (isBroken ? Promise.reject(new Error("config.json: not JSON")) : Promise.resolve()));
    const { client } = serve(core);
    await client.send({ id: 1, op: "reload_config" }, { id: 2, op: "call" });
    await client.count(2);
    expect(client.of(1)).toMatchObject([{ ok: false, code: 2, error: "config.json: not JSON", data: { errorInfo: { kind: "config" } } }]);
    expect(client.of(2)).toMatchObject([{ ok: true }]);
    isBroken = false;
    await client.send({ id: 3, op: "reload_config" });
    await until(() => client.of(3).length === 1);
    expect(client.of(3)).toMatchObject([{ ok: true }]);
  });
});
