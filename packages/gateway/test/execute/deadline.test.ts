// A call ends by its own deadline or when it is cancelled, wherever it hangs, and takes its connection along.

import { setTimeout as sleep } from "node:timers/promises";
import type { CallItem } from "@hawser/protocol";
import { describe, expect, it, vi } from "vitest";
import type { CallOutcome } from "../../src/call.ts";
import { startInterruption } from "../../src/execute/interruption.ts";
import { answer, type StubServer } from "../../../../test/kit/api-stub.ts";
import { connectionKinds, pooledKinds, rawStubOf, stubOf, type CoreOf } from "../core-fixture.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";

/** Calls a server that hangs, with ever more time until a request has reached it: a busy machine may need all of it to connect. */
async function callHanging(
  coreOf: CoreOf,
  item: CallItem,
  answerBytes: string,
): Promise<{ outcome: CallOutcome; stub: StubServer; timeoutMs: number }> {
  for (let timeoutMs = 200; ; timeoutMs *= 5) {
    let isReached = false;
    const stub = await rawStubOf((socket) => {
      socket.on("data", () => {
        isReached = true;
        socket.write(answerBytes);
      });
    });
    const outcome = await coreOf(stub.url).call({ ...item, timeout: `${timeoutMs}ms` });
    if (isReached) return { outcome, stub, timeoutMs };
  }
}

describe.each(connectionKinds)("RPC-13: deadlines, with $kind", ({ coreOf }) => {
  it.each([
    ["before the headers", ""],
    ["within the headers", "HTTP/1.1 200 OK\r\ncontent-"],
    ["before the body", head],
    ["within the body", `${head}half`],
  ])("a server that hangs %s ends as a timeout, and its socket is closed", async (_name, bytes) => {
    const { outcome, stub, timeoutMs } = await callHanging(coreOf, { path: "/x", retry: 3 }, bytes);
    expect(outcome).toMatchObject({
      ok: false,
      code: 7,
      error: `network timeout: no end within ${timeoutMs} ms`,
      errorInfo: { kind: "timeout", retryable: true },
    });
    expect(stub.connections).toBe(1);
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it("the deadline covers all tries and the waits between them", async () => {
    const stub = await stubOf((_request, response) => answer(response, 503, "x"));
    const startedAt = performance.now();
    // The waits alone would take three quarters of an hour.
    const outcome = await coreOf(stub.url).call({ path: "/x", timeout: "300ms", retry: 100, retryBackoff: "50ms" });
    expect(outcome).toMatchObject({ ok: false, code: 7 });
    // On a slow machine the deadline may meet a try instead of a wait.
    expect(["http", "timeout"]).toContain(outcome.errorInfo?.kind);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(stub.requests.length).toBeLessThan(10);
  });

  it("a POST that timed out after it was sent is not called retryable", async () => {
    const { outcome } = await callHanging(coreOf, { method: "POST", path: "/x", yes: true }, "");
    expect(outcome).toMatchObject({ code: 7, errorInfo: { kind: "timeout", retryable: false } });
  });
});

describe.each(connectionKinds)("cancelling, with $kind", ({ coreOf }) => {
  it("ends a running call with code 7 and `cancelled`, and closes its socket", async () => {
    const controller = new AbortController();
    const stub = await rawStubOf((socket) => socket.on("data", () => controller.abort()));
    const outcome = await coreOf(stub.url).call({ path: "/x" }, { signal: controller.signal });
    expect(outcome).toMatchObject({ ok: false, code: 7, cancelled: true, error: "cancelled", errorInfo: { kind: "cancelled" } });
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it("before the start sends nothing", async () => {
    const stub = await stubOf();
    expect(await coreOf(stub.url).call({ path: "/x" }, { signal: AbortSignal.abort() })).toMatchObject({ code: 7, cancelled: true });
    expect(stub.requests.length).toBe(0);
  });

  it("while it waits for the next try sends nothing more", async () => {
    const controller = new AbortController();
    const stub = await stubOf((_request, response) => {
      answer(response, 503, "x");
      setTimeout(() => controller.abort(), 50);
    });
    const outcome = await coreOf(stub.url).call({ path: "/x", retry: 1, retryBackoff: "7s" }, { signal: controller.signal });
    expect(outcome).toMatchObject({ code: 7, cancelled: true });
    expect(stub.requests.length).toBe(1);
  });

  it("closing the core cancels what runs and what comes later", async () => {
    const stub = await rawStubOf((socket) => void socket.on("data", () => void core.close()));
    const core = coreOf(stub.url);
    expect(await core.call({ path: "/x" })).toMatchObject({ code: 7, cancelled: true });
    expect(await core.call({ path: "/x" })).toMatchObject({ code: 7, cancelled: true });
  });
});

describe("the clock of a deadline", () => {
  it("what was spent before counts, and the whole time is named", async () => {
    const interruption = startInterruption(600_000, { spentMs: 599_900 });
    expect(interruption.remainingMs()).toBeLessThanOrEqual(100);
    await expect(interruption.sleep(60_000)).rejects.toThrow(/^network timeout: no end within 600000 ms$/);
  });

  it("its clock stands still while it is held, and goes on from there", async () => {
    const interruption = startInterruption(50, {});
    const goOn = interruption.hold();
    await sleep(150);
    expect([interruption.reason, interruption.remainingMs()]).toEqual([undefined, Infinity]);
    goOn();
    expect(interruption.remainingMs()).toBeLessThanOrEqual(50);
    await expect(interruption.sleep(60_000)).rejects.toThrow(/^network timeout/);
    interruption.hold()();
    expect(interruption.remainingMs()).toBeLessThanOrEqual(0);
  });

  it("a call that is held can be cancelled", async () => {
    const controller = new AbortController();
    const interruption = startInterruption(60_000, { signal: controller.signal });
    interruption.hold();
    controller.abort();
    expect(interruption.reason?.code).toBe("cancelled");
  });
});

it.each(pooledKinds)("a call that is cancelled while it waits for a free connection is never sent, with $kind", async ({ coreOf }) => {
  let received = "";
  const stub = await rawStubOf((socket) => void socket.on("data", (chunk: Buffer) => (received += chunk.toString())));
  const core = coreOf(stub.url, { maxConnections: 1 });
  const [one, other] = [new AbortController(), new AbortController()];
  const first = core.call({ path: "/first" }, { signal: one.signal });
  await vi.waitFor(() => expect(received).toContain("/first"), 30_000);
  const second = core.call({ method: "POST", path: "/second", yes: true }, { signal: other.signal });
  setTimeout(() => other.abort(), 50);
  expect(await second).toMatchObject({ cancelled: true });
  one.abort();
  expect(await first).toMatchObject({ cancelled: true });
  await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  expect(received).not.toContain("/second");
});
