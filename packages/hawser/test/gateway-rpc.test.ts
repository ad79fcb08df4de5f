// `rpc` through the real program, under both of its names.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoApi, type DemoApi } from "@hawser/gateway";
import type { RpcResponse } from "@hawser/protocol";
import { igw, makePlace, runIn, startIn, talkIn } from "./gateway-stage.ts";

let demo: DemoApi;
beforeAll(async () => {
  demo = await startDemoApi({ token: "demo-token" });
});
afterAll(() => demo.stop());

async function talk(lines: readonly (string | object)[], args: readonly string[] = []): Promise<RpcResponse[]> {
  const { code, stderr, answers } = await talkIn(makePlace(demo), lines, { args, program: igw });
  expect([code, stderr]).toEqual([0, ""]);
  return answers;
}

describe.concurrent("igw rpc", () => {
  it("R77-R101: the seed's own lines", async () => {
    const [hello, capability, call, unknown, reloaded, shutdown, ...rest] = await talk([
      '{"id":"req-1","op":"hello","args":{"name":"rpcWorkers"}}',
      "",
      '{"id":"cap1","op":"capability","args":{"name":"rpcWorkers"}}',
      '{"id":"c1","op":"call","args":{"method":"GET","path":"/data/api/v1/gateway-info","timeout":"30s"}}',
      '{"id":"u1","op":"nonsense"}',
      '{"id":"r1","op":"reload_config"}',
      '{"id":"s1","op":"shutdown"}',
      '{"id":"late","op":"hello"}',
    ]).then((answers) => answers.toSorted((one, other) => order.indexOf(String(one.id)) - order.indexOf(String(other.id))));
    expect(rest).toEqual([]);
    const { version } = (hello?.data ?? {}) as { version: string };
    expect(hello).toMatchObject({
      id: "req-1",
      ok: true,
      code: 0,
      data: { protocol: "igw-rpc-v1", features: { rpcWorkers: true, cancel: true }, ops: expect.arrayContaining(["call"]) as string[] },
    });
    expect(`${version}\n`).toBe((await runIn(makePlace(), ["--version"], { program: igw })).stdout);
    expect(capability).toEqual({ id: "cap1", ok: true, code: 0, data: { name: "rpcWorkers", supported: true } });
    expect(call).toMatchObject({
      id: "c1",
      ok: true,
      code: 0,
      status: 200,
      data: { response: { status: 200 }, stats: { version: 1, rpc: {} } },
    });
    expect(unknown).toMatchObject({ id: "u1", ok: false, code: 2 });
    expect(reloaded).toEqual({ id: "r1", ok: true, code: 0, data: { reloaded: true } });
    expect(shutdown).toEqual({ id: "s1", ok: true, code: 0, data: { shutdown: true } });
  });
  const order = ["req-1", "cap1", "c1", "u1", "r1", "s1"];

  it("as in igw: operations of rpc and of the document match without case, and are trimmed", async () => {
    const answers = await talk([
      { id: 1, op: " HELLO " },
      { id: 2, op: "Call", args: { op: " READtag ", params: { name: "Tank/Level" } } },
      { id: 3, op: "call", args: { method: " get ", path: " /data/api/v1/tags " } },
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it("takes the flags that hosts know, and answers with headers where it shall", async () => {
    const args = ["--workers", "4", "--queue-size", "10000", "--overflow", "reject", "--timeout", "60s", "--include-headers", "--json"];
    const [answer] = await talk([{ id: 1, op: "call", args: { op: "gatewayInfo" } }], args);
    expect(answer).toMatchObject({ data: { response: { headers: { "Content-Type": ["application/json"] } } } });
  });

  it("--demo serves the demo API", async () => {
    const { code, answers } = await talkIn(makePlace(), [{ op: "call", args: { op: "gatewayInfo" } }], { args: ["--demo"] });
    expect([code, answers]).toMatchObject([0, [{ ok: true, status: 200 }]]);
  });
});

describe.concurrent("mistakes", () => {
  it.each([
    ...["0", "-1", "1e9", "NaN", "1.5", "257", "0x10", ""].map((value) => ["--workers", value, "1 to 256"] as const),
    ...["0", "10001", "1.5"].map((value) => ["--queue-size", value, "1 to 10000"] as const),
  ])("RPC-15 R109 R110: %s %j exits 2 with a usage line before stdin is read", async (flag, value, bounds) => {
    // stdin stays open: who waits for it would never end.
    const { code, stdout, stderr } = await startIn(makePlace(), ["rpc", flag, value], { program: igw }).ended;
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^igw: ${flag} can't be '.*': Give a whole number from ${bounds}.\nusage: npx igw rpc`));
  });

  it.each([[["--overflow", "drop"]], [["--timeout", "8"]]])("%j exits 2 before stdin is read", async (args) => {
    const { code, stdout } = await startIn(makePlace(), ["rpc", ...args], { program: igw }).ended;
    expect([code, stdout]).toEqual([2, ""]);
  });

  it("R79 --api-key-stdin, where stdin is the protocol, is not listed and is refused with what to use instead", async () => {
    const place = makePlace();
    const [refused, help, schema] = await Promise.all([
      startIn(place, ["rpc", "--api-key-stdin"], { program: igw }).ended,
      runIn(place, ["rpc", "--help"]),
      // Not all of it: the flags of every command are listed there too.
      runIn(place, ["schema", "rpc", "--select", "command"]),
    ]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(/^igw: --api-key-stdin: stdin carries the protocol here; give the token with --api-key-file, /);
    expect(help.stdout).toContain("--api-key-file");
    expect(help.stdout + schema.stdout).not.toContain("--api-key-stdin");
  });
});
