// The echo server as a real process, in both framings: nothing lost under load or with a slow
// reader, memory flat, an orderly end.

import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Codec } from "../../src/codec/codec.ts";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import { createStreamTransport } from "../../src/transport/stream-transport.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { framings } from "../framing.ts";
import { exitOf, type PipedChild } from "../../../../test/kit/node-programs.ts";
import { startFixture, wait } from "../pipes.ts";
import { createEchoClient, type EchoClient } from "./echo-client.ts";

function startEcho(codec: Codec, ...args: string[]): { child: PipedChild; transport: Transport } {
  const child = startFixture("echo-stdio.ts", ["--codec", codec.name, ...args]);
  const transport = createStreamTransport({ readable: child.stdout, writable: child.stdin, codec, tap: undefined });
  onTestFinished(() => transport.close());
  return { child, transport };
}

describe.each(framings)("over $name", (codec) => {
  function start(...args: string[]): { child: PipedChild; client: EchoClient } {
    const { child, transport } = startEcho(codec, ...args);
    return { child, client: createEchoClient(transport) };
  }

  it("R131 G8 answers 1,000 requests exactly once, finishes what was accepted after the end of input, and exits 0", async () => {
    const { child, client } = start();
    for (let n = 0; n < 999; n++) await client.send({ id: String(n), kind: "echo", value: { n } });
    await client.send({ id: "slow", kind: "sleep", ms: 200 });
    child.stdin.end();
    await client.ended;
    expect(client.answers.length).toBe(1_000);
    expect(new Set(client.answers.map(({ value }) => value.id)).size).toBe(1_000);
    expect(client.of("slow")).toEqual([{ id: "slow", type: "done" }]);
    expect(await exitOf(child)).toEqual({ code: 0, signal: null });
  });

  it("H21 cancel overtakes a running request and status is answered meanwhile", async () => {
    const { client } = start("--workers", "1");
    await client.send({ id: "a", kind: "sleep", ms: 3_600_000 }, { id: "t", kind: "status" }, { id: "c", kind: "cancel", target: "a" });
    await client.ends(3);
    expect(client.of("t")).toEqual([{ id: "t", type: "status", running: 1, waiting: 0 }]);
    expect(client.of("a")).toMatchObject([{ type: "error", code: "cancelled" }]);
  });
});

// What is held is the transport's and the server's, which are the same for both framings: each of these goes through one.
describe("under load", () => {
  it("G10 G11 RPC-02 1,000 requests of 60 kB on one worker and 4 places: 1,000 answers in order, memory flat", async () => {
    const { child, transport } = startEcho(ndjson, "--workers", "1", "--queue-size", "4");
    const client = createEchoClient(transport);
    const value = "x".repeat(60_000);
    await client.send({ id: "first", kind: "echo", value });
    await client.ends(1);
    for (let n = 0; n < 1_000; n++) await client.send({ id: String(n), kind: "echo", value });
    const ends = await client.ends(1_001);
    expect(ends.slice(1).map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
    expect(peakMegabytes(child)).toBeLessThan(256);
  });

  it("G1 G10 six answers of 9 MB to a peer that does not read for a while all arrive, and memory is bounded", async () => {
    const { child, transport } = startEcho(lengthPrefix, "--workers", "1", "--queue-size", "1");
    const value = "x".repeat(9_000_000);
    const sending = (async () => {
      for (let n = 0; n < 6; n++) await transport.send({ id: String(n), kind: "echo", value });
    })();
    await wait(500);
    const client = createEchoClient(transport);
    await sending;
    const ends = await client.ends(6);
    expect(ends.map(({ id, type }) => `${id} ${type}`).toSorted()).toEqual(Array.from({ length: 6 }, (_, n) => `${n} echoed`));
    // Each message exists several times on its way (chunks, text, value, text, bytes) until it is collected.
    expect(peakMegabytes(child)).toBeLessThan(384);
  });
});

describe("WIR-09 G10 10 MiB of small things in one message", () => {
  it.each<[string, () => string, string?]>([
    ["empty objects", () => `[${"{},".repeat(3_400_000)}{}]`],
    ["keys", () => `{${Array.from({ length: 790_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ["zeros", () => `[${"0,".repeat(5_000_000)}0]`],
    // The two heaviest shapes that are still served, each just below the limit.
    ["as many keys as are allowed", () => `{${Array.from({ length: 440_000 }, (_, index) => `"k${index}":1`).join()}}`, "echoed"],
    ["as many names as are allowed", () => `[${Array.from({ length: 236_000 }, (_, index) => `{"k${index}":1}`).join()}]`, "echoed"],
  ])("%s: served or refused once, alive, memory bounded", async (_, make, type = expect.any(String) as string) => {
    const { child, transport } = startEcho(ndjson);
    const client = createEchoClient(transport);
    child.stdin.write(`{"id":"big","kind":"echo","value":${make()}}\n{"id":"after","kind":"echo","value":1}\n`);
    await client.ends(2);
    expect(client.of("big")).toEqual([expect.objectContaining({ type })]);
    expect(client.of("after")).toEqual([{ id: "after", type: "echoed", value: 1 }]);
    expect(peakMegabytes(child)).toBeLessThan(256);
  });
});

function peakMegabytes(child: PipedChild): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}
