// Connections that are kept: which of them carries the next request, what may lie on them meanwhile, and when they end.

import { execFile } from "node:child_process";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import * as zlib from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "@hawser/protocol";
import type { Sender, WireRequest } from "../../src/execute/connections.ts";
import { gatewayLimits } from "../../src/limits.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { coreOf as ownCoreOf, pooledKinds, rawStubOf, stubOf } from "../core-fixture.ts";

const usual = { ...gatewayLimits };
afterEach(() => void Object.assign(gatewayLimits, usual));

const okWith = (body: string, lines = ""): string => `HTTP/1.1 200 OK\r\n${lines}content-length: ${body.length}\r\n\r\n${body}`;

/** Answers each request with its path. */
function echo(socket: Socket, lines = "", onAnswered: (requests: number) => void = () => {}): void {
  let requests = 0;
  socket.on("data", (chunk: Buffer) => {
    for (const [, path = ""] of chunk.toString("latin1").matchAll(/^[A-Z]+ (\S+) HTTP/gm)) {
      requests++;
      socket.write(okWith(path, lines), () => onAnswered(requests));
    }
  });
}

describe.each(pooledKinds)("a pool of $kind", ({ coreOf, open }) => {
  const bodyOf = async (core: ReturnType<typeof coreOf>, path: string, method = "GET"): Promise<string | undefined> =>
    (await core.call({ method, path, yes: true })).response?.body;

  it("uses one connection for calls one after the other, and no more than it may for many at once", async () => {
    const stub = await stubOf((request, response) => answer(response, 200, request.target));
    const core = coreOf(stub.url, { maxConnections: 3 });
    for (let at = 0; at < 5; at++) expect(await bodyOf(core, `/${at}`)).toBe(`/${at}`);
    expect(stub.connections).toBe(1);
    const paths = Array.from({ length: 50 }, (_, at) => `/${at}`);
    expect(await Promise.all(paths.map((path) => bodyOf(core, path)))).toEqual(paths);
    expect(stub.connections).toBe(3);
  });

  it("ends a connection that was unused for long", async () => {
    gatewayLimits.httpIdleMs = 50;
    const stub = await rawStubOf((socket) => echo(socket));
    expect(await bodyOf(coreOf(stub.url), "/a")).toBe("/a");
    await vi.waitFor(() => expect([stub.connections, stub.openConnections]).toEqual([1, 0]), 30_000);
  });

  it("ends it sooner where the server says so, and keeps none that the server would not keep", async () => {
    const stub = await rawStubOf((socket, connection) => echo(socket, `keep-alive: timeout=${connection === 0 ? 1 : 2}\r\n`));
    const core = coreOf(stub.url);
    expect(await bodyOf(core, "/a")).toBe("/a");
    await vi.waitFor(() => expect([stub.connections, stub.openConnections]).toEqual([1, 0]), 30_000);
    gatewayLimits.httpIdleMarginMs = 1_950;
    const other = coreOf(stub.url, { maxConnections: 1 });
    expect(await bodyOf(other, "/b")).toBe("/b");
    await vi.waitFor(() => expect([stub.connections, stub.openConnections]).toEqual([2, 0]), 30_000);
    gatewayLimits.httpIdleMarginMs = 2_000;
    const last = coreOf(stub.url, { maxConnections: 1 });
    expect(await Promise.all(["/c", "/d"].map((path) => bodyOf(last, path)))).toEqual(["/c", "/d"]);
    expect(stub.connections).toBe(4);
  });

  it("never takes an answer that was sent before the request, whether it came with the last one or later", async () => {
    const poison = okWith("poison");
    const stub = await rawStubOf((socket, connection) => {
      if (connection === 0) socket.once("data", () => socket.write(okWith("first") + poison));
      else if (connection === 1) echo(socket, "", () => setTimeout(() => socket.write(poison), 20));
      else echo(socket);
    });
    const core = coreOf(stub.url, { maxConnections: 1 });
    expect(await bodyOf(core, "/a")).toBe("first");
    expect(await bodyOf(core, "/b")).toBe("/b");
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
    expect(await bodyOf(core, "/c")).toBe("/c");
  });

  it("sends nothing on a connection whose end has come while the process was busy", async () => {
    // The server has a thread of its own, and this one stands still until that has ended its connection.
    const ended = new Int32Array(new SharedArrayBuffer(4));
    const program = `
      const { workerData: ended, parentPort } = require("node:worker_threads");
      const server = require("node:net").createServer((socket) => {
        socket.once("data", () => {
          socket.write(${JSON.stringify(okWith("ok"))});
          setTimeout(() => socket.end(), 100);
        });
        socket.once("finish", () => setTimeout(() => { Atomics.add(ended, 0, 1); Atomics.notify(ended, 0); }, 20));
        socket.on("error", () => {});
      });
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
    const server = new Worker(program, { eval: true, workerData: ended });
    onTestFinished(() => void server.terminate());
    const port = await new Promise<number>((resolve) => server.once("message", resolve));
    const core = coreOf(`http://127.0.0.1:${port}`, { maxConnections: 1 });
    const post = (): ReturnType<typeof core.call> => core.call({ method: "POST", path: "/x", body: "{}", yes: true });
    expect((await post()).ok).toBe(true);
    for (let round = 0; round < 5; round++) {
      // From a timer, so that the turn goes on with what has come.
      const { ok, error } = await new Promise<Awaited<ReturnType<typeof core.call>>>((resolve) => {
        setTimeout(() => {
          Atomics.wait(ended, 0, round, 30_000);
          void post().then(resolve);
        }, 1);
      });
      expect({ round, ok, error }).toEqual({ round, ok: true, error: undefined });
    }
  });

  it("a call that has enough of its body when its connection carries another one leaves that alone", async () => {
    const packed = zlib.gzipSync("x".repeat(3_000_000));
    let first: Promise<unknown> = Promise.resolve();
    const stub = await stubOf(async (request, response) => {
      if (request.target === "/packed") return answer(response, 200, packed, { "content-encoding": "gzip" });
      await first;
      answer(response, 200, request.target);
    });
    const core = coreOf(stub.url, { maxConnections: 1, maxBodyBytes: 100_000 });
    for (let round = 0; round < 5; round++) {
      first = core.call({ path: "/packed" });
      const second = core.call({ method: "POST", path: "/x", yes: true });
      expect(await first).toMatchObject({ ok: true, response: { bytes: 100_000, truncated: true } });
      expect(await second).toMatchObject({ ok: true, response: { body: "/x" } });
    }
  });

  it("a body in many small chunks waits at the server while nobody takes it", async () => {
    const piece = "1\r\nx\r\n".repeat(10_000);
    let written = 0;
    const stub = await rawStubOf((socket) => {
      const pour = (): void => void (socket.destroyed || (socket.write(piece, pour), (written += piece.length)));
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", pour));
    });
    const controller = new AbortController();
    let taken = 0;
    const onBody = (chunk: Buffer): Promise<void> => {
      taken += chunk.length;
      return new Promise((resolve) => controller.signal.addEventListener("abort", () => resolve()));
    };
    const call = coreOf(stub.url).call({ path: "/x" }, { onBody, signal: controller.signal });
    let before = -1;
    // One look may find a server that a busy machine has not let run.
    let still = 0;
    await vi.waitFor(
      () => {
        still = taken > 0 && written === before ? still + 1 : 0;
        before = written;
        expect(still).toBeGreaterThanOrEqual(5);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(taken).toBeLessThan(1_000_000);
    controller.abort();
    expect(await call).toMatchObject({ cancelled: true });
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it("refuses those who wait and those who come once it is closed, and ends every connection", async () => {
    const stub = await rawStubOf((socket) => void socket.on("data", () => undefined));
    const connections = open(1, {});
    const request: WireRequest = { origin: stub.url, path: "/", method: "GET", headers: [], body: null, idempotent: false };
    const ends: string[] = [];
    const started = Promise.withResolvers<void>();
    const senderOf = (name: string): Sender => ({
      isOver: () => false,
      refuse: (error) => void ends.push(`${name} refused ${(error as HawserError).code}`),
      onRequestStart: () => started.resolve(),
      onRequestWritten: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: () => undefined,
      onResponseEnd: () => void ends.push(`${name} ended`),
      onResponseError: () => void ends.push(`${name} failed`),
    });
    connections.dispatch(request, senderOf("first"));
    connections.dispatch(request, senderOf("second"));
    await started.promise;
    await connections.close();
    connections.dispatch(request, senderOf("third"));
    await vi.waitFor(() => expect(ends.toSorted()).toEqual(["first failed", "second refused closed", "third refused closed"]), 30_000);
    await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
  });

  it.each([
    ["method", { method: "GET / HTTP/1.1\r\nx:" }],
    ["path", { path: "/ HTTP/1.1\r\nx: y" }],
    ["header name", { headers: ["x\r\ny", "z"] }],
    ["header", { headers: ["x", "y\r\nz: 1"] }],
    ["coding", { headers: ["Transfer-Encoding", "chunked"] }],
  ])("a %s that would begin another line, or another request, is refused before a byte of it is sent", async (_name, part) => {
    const stub = await stubOf();
    const connections = open(1, {});
    onTestFinished(() => connections.close());
    const refused = await new Promise((resolve) => {
      const request: WireRequest = { origin: stub.url, path: "/", method: "GET", headers: [], body: null, idempotent: false, ...part };
      const sender = {
        isOver: () => false,
        refuse: resolve,
        onRequestStart() {},
        onRequestWritten() {},
        onResponseStart() {},
        onResponseData() {},
      };
      connections.dispatch(request, { ...sender, onResponseEnd() {}, onResponseError: (_flow, error) => resolve(error) });
    });
    expect(refused).toBeInstanceOf(Error);
    expect(stub.requests).toEqual([]);
  });
});

it("a call that is cancelled before there is a connection leaves it to the next one", async () => {
  const stub = await rawStubOf((socket) => echo(socket));
  const core = ownCoreOf(stub.url, { maxConnections: 1 });
  expect((await core.call({ path: "/a" })).ok).toBe(true);
  for (let round = 0; round < 3; round++) {
    const controller = new AbortController();
    const cancelled = core.call({ path: "/b" }, { signal: controller.signal });
    controller.abort();
    expect(await cancelled).toMatchObject({ cancelled: true });
    expect((await core.call({ path: "/c" })).response?.body).toBe("/c");
  }
  expect(stub.connections).toBe(1);
});

it("does not use a connection again that was unused for long while the process stood still", async () => {
  gatewayLimits.httpIdleMs = 200;
  const stub = await rawStubOf((socket) => echo(socket));
  const core = ownCoreOf(stub.url);
  for (let round = 1; round <= 3; round++) {
    expect((await core.call({ path: "/a" })).ok).toBe(true);
    expect(stub.connections).toBe(round);
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  }
  await vi.waitFor(() => expect(stub.openConnections).toBe(0), 30_000);
});

// undici does, and the next call then waits for its deadline.
it("does not use a connection again whose server answered before it had read the request", async () => {
  const stub = await rawStubOf((socket) => {
    socket.once("data", () => {
      socket.pause();
      socket.write(okWith("early"));
    });
  });
  const core = ownCoreOf(stub.url, { maxConnections: 1 });
  const body = "x".repeat(16_000_000);
  for (let round = 1; round <= 2; round++) {
    expect(await core.call({ method: "POST", path: "/x", body, yes: true })).toMatchObject({ ok: true, response: { body: "early" } });
    expect(stub.connections).toBe(round);
  }
});

it.each(pooledKinds)("$kind keep no process alive while they are unused", async ({ createName }) => {
  const stub = await rawStubOf((socket) => echo(socket));
  const program = `
    import { createCallCore, ${createName} } from "@hawser/gateway/internal";
    const core = createCallCore({ gatewayUrl: ${JSON.stringify(stub.url)}, apiKey: "test-token", env: { HOME: "/nonexistent" } }, ${createName});
    console.log((await core.call({ path: "/x" })).response.body);`;
  const args = ["--conditions=hawser-source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  expect(stdout).toBe("/x\n");
});
