// The API document comes from the gateway itself, which may be slow: neither a call nor a reload waits for
// it longer than its time.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolveTarget } from "../../src/config/resolve-target.ts";
import { createConnectionPool } from "../../src/execute/connection-pool.ts";
import { createRedactor } from "../../src/execute/redaction.ts";
import { createGatewaySource, syncDocument } from "../../src/document/fetch-document.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { coreOf, freshHome, rawStubOf, stubOf } from "../core-fixture.ts";

describe("the time that a document may take", () => {
  it("RPC-13 a call by operation ends within its own timeout while the gateway does not give the document", async () => {
    const stub = await rawStubOf(() => undefined);
    const core = coreOf(stub.url);
    const startedAt = performance.now();
    const outcome = await core.call({ op: "anything", timeout: "300ms" });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(outcome).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "timeout" } });
    expect(outcome.error).toContain("the API document did not come within 300 ms");
  });

  it("RPC-13 slow answers to one path after another do not add up", async () => {
    const stub = await stubOf(async (_request, response) => {
      await sleep(400);
      answer(response, 404, "");
    });
    const home = freshHome();
    const target = await resolveTarget({ gatewayUrl: stub.url, env: { HOME: home } });
    const connections = createConnectionPool(1);
    onTestFinished(() => connections.close());
    const source = createGatewaySource(
      { target, specFile: undefined },
      { redactor: createRedactor(undefined), connections, timeoutMs: 1_000 },
    )!;
    await expect(syncDocument(source, { HOME: home })).rejects.toMatchObject({ code: "timeout" });
    expect(stub.requests.length).toBeLessThan(5);
  });

  it("G5 a document that is not UTF-8 is refused, not repaired", async () => {
    const document = Buffer.concat([
      Buffer.from('{"openapi":"3.1.0","info":{"title":"'),
      Buffer.from([0xff]),
      Buffer.from('"},"paths":{}}'),
    ]);
    const stub = await stubOf((_request, response) => answer(response, 200, document));
    expect((await coreOf(stub.url).call({ op: "anything" })).error).toContain("not UTF-8");
  });
});
