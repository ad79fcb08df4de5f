// What must not be sent twice is sent once, whatever happens to its connection; what may be repeated is
// repeated as often as asked for and not once more.

import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { answer, closedPort } from "../../../../test/kit/api-stub.ts";
import { connectionKinds, pooledKinds, rawStubOf, stubOf } from "../core-fixture.ts";

const okResponse = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Counts requests by their empty line, and answers each as the script says. */
async function countingStub(script: (socket: Socket, request: number) => void) {
  const seen = { requests: 0 };
  const stub = await rawStubOf((socket) => {
    socket.on("data", (chunk: Buffer) => {
      if (chunk.includes("\r\n\r\n")) script(socket, ++seen.requests);
    });
  });
  return { seen, url: stub.url };
}

const faults: readonly [name: string, fault: (socket: Socket) => void][] = [
  ["a reset after the request", (socket) => socket.resetAndDestroy()],
  ["an end after the request", (socket) => socket.end()],
  [
    "a reset after half of the response",
    (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal", () => socket.resetAndDestroy()),
  ],
  ["a reset within the headers", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-le", () => socket.resetAndDestroy())],
  ["no HTTP at all", (socket) => socket.write("SSH-2.0-x\r\n\r\n")],
];

describe.each(connectionKinds)("RPC-09: at most once, with $kind", ({ coreOf }) => {
  it.each(faults)("a POST is sent exactly once with %s", async (_name, fault) => {
    const { seen, url } = await countingStub(fault);
    const outcome = await coreOf(url).call({ method: "POST", path: "/x", body: "{}", yes: true });
    expect(outcome).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network", retryable: false } });
    expect(seen.requests).toBe(1);
  });

  it.each(faults.slice(0, 4))("a GET with retry 2 is sent three times and a PUT too, with %s", async (_name, fault) => {
    const { seen, url } = await countingStub(fault);
    const core = coreOf(url);
    expect(await core.call({ path: "/x", retry: 2, retryBackoff: "1ms" })).toMatchObject({ ok: false, code: 7 });
    expect(seen.requests).toBe(3);
    await core.call({ method: "PUT", path: "/x", body: "{}", yes: true, retry: 1, retryBackoff: "1ms" });
    expect(seen.requests).toBe(5);
  });

  it("a 500 to a POST ends it, and retry on it is a usage error before anything is sent", async () => {
    const stub = await stubOf((_request, response) => answer(response, 500, "broken"));
    const core = coreOf(stub.url);
    expect(await core.call({ method: "POST", path: "/x", yes: true })).toMatchObject({ code: 7, status: 500, error: "http 500" });
    expect(stub.requests.length).toBe(1);
    expect(await core.call({ method: "POST", path: "/x", yes: true, retry: 3 })).toMatchObject({ code: 2, errorInfo: { kind: "usage" } });
    expect(stub.requests.length).toBe(1);
  });

  it("a refused connection names address and cause", async () => {
    const outcome = await coreOf(`http://127.0.0.1:${closedPort}`).call({ path: "/x" });
    expect(outcome.error).toBe(`network error: 127.0.0.1:${closedPort}: connection refused (ECONNREFUSED)`);
    expect(outcome).toMatchObject({ ok: false, code: 7, errorInfo: { kind: "network", retryable: true } });
  });
});

describe.each(pooledKinds)("RPC-09: at most once on a connection that is used again, with $kind", ({ coreOf }) => {
  it("a POST on a kept connection that is reset at that moment is not repeated on a new one", async () => {
    const { seen, url } = await countingStub((socket, request) =>
      request % 2 === 1 ? socket.write(okResponse) : socket.resetAndDestroy(),
    );
    const core = coreOf(url, { maxConnections: 1 });
    for (let round = 0; round < 20; round++) {
      expect((await core.call({ path: "/warm" })).ok).toBe(true);
      expect(await core.call({ method: "POST", path: "/x", body: "{}", yes: true })).toMatchObject({ ok: false, code: 7 });
      expect(seen.requests).toBe(2 * round + 2);
    }
  });

  it("a server that closes its kept connections costs no POST its one try before it is sent", async () => {
    const { seen, url } = await countingStub((socket) => socket.write(okResponse, () => setTimeout(() => socket.destroy(), 5)));
    const core = coreOf(url, { maxConnections: 1 });
    let ends = 0;
    for (let round = 0; round < 20; round++) {
      const outcome = await core.call({ method: "POST", path: "/x", body: "{}", yes: true });
      ends += outcome.ok || outcome.code === 7 ? 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(ends).toBe(20);
    expect(seen.requests).toBeLessThanOrEqual(20);
  });

  it("200 POSTs at a server that ends its kept connections at that very moment arrive exactly once each", async () => {
    const arrivals = new Map<string, number>();
    const stub = await rawStubOf((socket, connection) => {
      socket.on("data", (chunk: Buffer) => {
        for (const [, path = ""] of chunk.toString("latin1").matchAll(/^POST (\S+)/gm)) {
          arrivals.set(path, (arrivals.get(path) ?? 0) + 1);
          // Only the first answer of a connection; its end then meets the next request on the way, sooner or later.
          if (socket.writableEnded) continue;
          socket.write(okResponse, () => setTimeout(() => socket.end(), (connection % 4) / 2));
        }
      });
    });
    const core = coreOf(stub.url, { maxConnections: 1 });
    for (let round = 0; round < 200; round++) {
      const path = `/${round}`;
      const { ok, code } = await core.call({ method: "POST", path, body: "{}", yes: true, timeout: "20s" });
      // The call may fail before the server has read what was on its way.
      await vi.waitFor(() => expect({ path, arrived: arrivals.get(path) }).toEqual({ path, arrived: 1 }), 30_000);
      expect(code).toBe(ok ? 0 : 7);
    }
    expect([...arrivals.values()]).toEqual(Array(200).fill(1));
  });

  it("calls that share one connection never lie on it together, so its end takes one of them and repeats none", async () => {
    const arrivals: string[] = [];
    let mostAtOnce = 0;
    const stub = await rawStubOf((socket, connection) => {
      let waiting = 0;
      socket.on("data", (chunk: Buffer) => {
        for (const [, path = ""] of chunk.toString("latin1").matchAll(/^(?:POST|GET) (\S+)/gm)) {
          arrivals.push(path);
          mostAtOnce = Math.max(mostAtOnce, ++waiting);
        }
        // Late enough for a second request to follow the first, if anything sent it.
        setTimeout(() => {
          if (connection % 2 === 0) socket.resetAndDestroy();
          else socket.write(okResponse, () => waiting--);
        }, 20);
      });
    });
    const core = coreOf(stub.url, { maxConnections: 1 });
    const calls = Array.from({ length: 12 }, (_, at) =>
      core.call(at % 2 === 0 ? { path: `/${at}` } : { method: "POST", path: `/${at}`, body: "{}", yes: true, timeout: "20s" }),
    );
    for (const { ok, code } of await Promise.all(calls)) expect(code).toBe(ok ? 0 : 7);
    expect(mostAtOnce).toBe(1);
    expect(arrivals.toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `/${at}`).toSorted());
  });
});

describe.each(connectionKinds)("retries, with $kind", ({ coreOf }) => {
  it("of 429 and 5xx end with the first success", async () => {
    let requests = 0;
    const stub = await stubOf((_request, response) => answer(response, [429, 503, 200][requests++] ?? 500, "x"));
    expect(await coreOf(stub.url).call({ path: "/x", retry: 5, retryBackoff: "1ms" })).toMatchObject({ ok: true, code: 0, status: 200 });
    expect(stub.requests.length).toBe(3);
  });

  it("are not made for other answers, nor without being asked for", async () => {
    const stub = await stubOf((request, response) => answer(response, request.target === "/a" ? 404 : 503, "x"));
    const core = coreOf(stub.url);
    await core.call({ path: "/a", retry: 5, retryBackoff: "1ms" });
    await core.call({ path: "/b" });
    expect(stub.requests.length).toBe(2);
  });

  it("wait as Retry-After says", async () => {
    const arrivals: number[] = [];
    const stub = await stubOf((_request, response) => {
      arrivals.push(performance.now());
      answer(response, arrivals.length === 1 ? 429 : 200, "x", { "retry-after": "1" });
    });
    expect((await coreOf(stub.url).call({ path: "/x", retry: 1, retryBackoff: "1ms" })).ok).toBe(true);
    expect(arrivals[1]! - arrivals[0]!).toBeGreaterThan(950);
  });

  it.each([
    ["zero", "0"],
    ["a date long ago", "Thu, 01 Jan 1970 00:00:00 GMT"],
    ["a negative number", "-30"],
    ["nonsense", "soon"],
  ])("wait their own pause at least where Retry-After is %s", async (_, retryAfter) => {
    const arrivals: number[] = [];
    const stub = await stubOf((_request, response) => {
      arrivals.push(performance.now());
      answer(response, arrivals.length === 3 ? 200 : 429, "x", { "retry-after": retryAfter });
    });
    expect((await coreOf(stub.url).call({ path: "/x", retry: 5, retryBackoff: "100ms" })).ok).toBe(true);
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    // Half of 100 and of 200 ms is certain; a timer may fire a millisecond early.
    expect(gaps.map((gap, index) => gap >= [45, 95][index]!)).toEqual([true, true]);
  });

  it.each(["3600", "1000000000", "9".repeat(400)])(
    "that could only begin after the deadline are not waited for: Retry-After %.20s",
    async (retryAfter) => {
      const stub = await stubOf((_request, response) => answer(response, 429, "x", { "retry-after": retryAfter }));
      // Whoever waited would wait longer than this test may take.
      expect(await coreOf(stub.url).call({ path: "/x", retry: 5, timeout: "50m" })).toMatchObject({ ok: false, status: 429 });
      expect(stub.requests.length).toBe(1);
    },
  );
});
