// The doors on the real core, against a loopback API: the same item gives the same result through each,
// and what the wire promises holds with real requests behind it.

import { describe, expect, it, onTestFinished } from "vitest";
import type { CallCore, CallOutcome } from "../../src/call.ts";
import { createCallCore } from "../../src/create-call-core.ts";
import type { OpenConnections } from "../../src/execute/connections.ts";
import { runBatch } from "../../src/batch/run-batch.ts";
import { answer, closedPort, startApiStub, type ApiStub, type StubHandler } from "../../../../test/kit/api-stub.ts";
import { pooledKinds } from "../core-fixture.ts";
import { serve } from "./rpc-client.ts";
import { until } from "../../../../test/kit/until.ts";

async function startWith(open: OpenConnections, handler: StubHandler): Promise<{ core: CallCore; stub: ApiStub }> {
  const stub = await startApiStub(handler);
  const core = createCallCore({ gatewayUrl: stub.url, apiKey: "canary-token", maxConnections: 64, timeoutMs: 60_000 }, open);
  onTestFinished(async () => {
    await core.close();
    await stub.close();
  });
  return { core, stub };
}

const normalized = ({ ok, code, status, error, request, response }: Partial<CallOutcome>): object => ({
  ok,
  code,
  status,
  error,
  request,
  response,
});

describe.each(pooledKinds)("one core, three doors, with $kind", ({ open }) => {
  const start = (handler: StubHandler): ReturnType<typeof startWith> => startWith(open, handler);

  it.each([200, 400, 401, 403, 404, 500])("R87 R93 status %i gives the same through call, batch and rpc", async (status) => {
    const { core } = await start((request, response) => answer(response, status, { target: request.target }));
    const item = { method: "GET", path: "/x", query: ["a=1"] };
    const direct = normalized(await core.call(item));
    let line = "";
    await runBatch([Buffer.from(JSON.stringify(item))] as unknown as AsyncIterable<Buffer>, core, { write: (text) => void (line += text) });
    const { client } = serve(core);
    await client.send({ id: 1, op: "call", args: item });
    const [rpc] = await client.count(1);
    expect(JSON.parse(JSON.stringify(direct))).toMatchObject({ ok: status === 200, status, response: { body: '{"target":"/x?a=1"}' } });
    const plain = JSON.parse(JSON.stringify(direct)) as object;
    expect(JSON.parse(JSON.stringify(normalized(JSON.parse(line) as CallOutcome)))).toEqual(plain);
    expect(JSON.parse(JSON.stringify(normalized({ ...rpc?.data, ...rpc } as CallOutcome)))).toEqual(plain);
  });

  it("R87 R90 a mistake, a missing yes and a refused connection have their codes", async () => {
    const { core, stub } = await start((_request, response) => answer(response, 200, {}));
    const { client } = serve(core);
    await client.send({ id: "post", op: "call", args: { method: "POST", path: "/" } }, { id: "path", op: "call", args: {} });
    await client.count(2);
    expect(stub.requests).toEqual([]);
    expect(client.of("post")).toMatchObject([{ ok: false, code: 2, data: { errorInfo: { kind: "usage" } } }]);
    expect(client.of("path")).toMatchObject([{ ok: false, code: 2 }]);
    const { client: other } = serve(createCallCore({ gatewayUrl: `http://127.0.0.1:${closedPort}`, apiKey: "canary-token" }, open));
    await other.send({ id: "gone", op: "call", args: { path: "/" } });
    await other.count(1);
    expect(other.of("gone")).toMatchObject([{ ok: false, code: 7, data: { errorInfo: { kind: "network" } } }]);
  });

  it("RPC-01 2,000 calls with 64 workers, answered in any order by the API: nothing mixed up", async () => {
    const { core } = await start(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      answer(response, 200, request.target);
    });
    const { client } = serve(core, { workers: 64 });
    for (let id = 0; id < 2_000; id++) await client.send({ id, op: "call", args: { path: `/nonce-${id}` } });
    for (const { id, data } of await client.count(2_000)) expect(data.response?.body).toBe(`/nonce-${String(id)}`);
  });

  it("RPC-03 O6 cancel ends the request of a running call at the API, with one worker", async () => {
    const closed: number[] = [];
    const { core, stub } = await start((_request, response) => void response.on("close", () => closed.push(1)));
    const { client } = serve(core);
    await client.send({ id: "a", op: "call", args: { path: "/" } });
    await until(() => stub.requests.length === 1);
    await client.send({ id: "c", op: "cancel", args: { id: "a" } });
    await client.count(2);
    expect(client.of("a")).toMatchObject([{ ok: false, code: 7, data: { cancelled: true, request: { method: "GET" } } }]);
    await until(() => closed.length === 1);
  });
});
