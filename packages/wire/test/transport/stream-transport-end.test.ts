// How a transport over streams ends: orderly, half, abruptly, in the middle of a message, from
// this side, by silence. Nobody hangs, nothing is left, and the first reason is kept.

import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import { HawserError } from "@hawser/protocol";
import { createStreamTransport, type StreamTransportOptions } from "../../src/transport/stream-transport.ts";
import type { Incoming, Transport } from "../../src/transport/transport.ts";
import { lengthHeader, outcomes } from "../framing.ts";
import { bothWays, passThroughPair, tcpPair, unixPair, wait, type Streams } from "../pipes.ts";
import { textOf } from "../../../../test/kit/node-programs.ts";
import { until } from "../../../../test/kit/until.ts";

function transportOn(streams: Streams, options: Partial<StreamTransportOptions> = {}): Transport {
  const transport = createStreamTransport({ codec: ndjson, tap: undefined, ...streams, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

async function readAll(transport: Transport): Promise<Incoming[]> {
  const items: Incoming[] = [];
  for await (const item of transport.incoming) items.push(item);
  return items;
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol("pending");
  return (await Promise.race([promise, wait(30).then(() => pending)])) !== pending;
};

describe("the peer", () => {
  it.each([
    ["Unix", unixPair],
    ["TCP", tcpPair],
  ] as const)("WIR-19 that closed only its writing half still gets its answers (%s)", async (_, open) => {
    const [peer, mine] = await open();
    const transport = transportOn(bothWays(mine));
    peer.end('{"id":1}\n');
    expect(outcomes(await readAll(transport))).toEqual(["message"]);
    await wait(600); // longer than two looks at the half-closed peer
    expect(await isSettled(transport.closed)).toBe(false);
    await transport.send("answer");
    await transport.close();
    expect(await textOf(peer)).toBe('"answer"\n');
    expect(await transport.closed).toBeUndefined();
  });

  it("WIR-19 that closed its writing half and leaves later is noticed without sending anything", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine));
    peer.end("1\n");
    await readAll(transport);
    expect(await isSettled(transport.closed)).toBe(false);
    peer.destroy();
    expect(await transport.closed).toMatchObject({ code: "connection_lost" });
    await expect(transport.send(1)).rejects.toMatchObject({ code: "connection_lost" });
    expect(mine.destroyed).toBe(true);
  });

  it("WIR-19 that closes altogether ends the reading and the waiting sender", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const reading = readAll(transport);
    const sending = transport.send("x".repeat(5_000_000));
    peer.destroy();
    await expect(sending).rejects.toMatchObject({ code: "connection_lost" });
    expect(await reading).toEqual([]);
    expect(await transport.closed).toMatchObject({ code: "connection_lost" });
  });

  it("WIR-19 that resets the connection ends it with the cause", async () => {
    const [peer, mine] = await tcpPair();
    const transport = transportOn(bothWays(mine));
    const reading = readAll(transport);
    peer.write("1\n");
    await until(() => mine.bytesRead === 2);
    peer.resetAndDestroy();
    expect(outcomes(await reading)).toEqual(["message"]);
    expect(await transport.closed).toMatchObject({ code: "connection_lost", message: expect.stringContaining("ECONNRESET") });
    await expect(transport.send(1)).rejects.toMatchObject({ code: "connection_lost" });
    expect(mine.destroyed).toBe(true);
  });

  it.each([
    ["in a header", lengthPrefix, lengthHeader(5).subarray(0, 2), ["connection_lost"]],
    ["in a body", lengthPrefix, Buffer.concat([lengthHeader(5), Buffer.from("12")]), ["connection_lost"]],
    ["in a line", ndjson, Buffer.from('{"id":1,'), ["invalid_json"]],
    ["in a line that was refused", ndjson, Buffer.alloc(11_000_000, "x"), ["too_large"]],
  ] as const)("WIR-19 that ends %s leaves one refusal and no hang", async (_, codec, bytes, expected) => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { codec });
    peer.end(bytes);
    expect(outcomes(await readAll(transport))).toEqual(expected);
    await transport.close();
    expect(mine.destroyed).toBe(true);
  });

  it("WIR-04 that announces 4 GB is refused once; what it still writes is dropped, so that it can read why", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { codec: lengthPrefix });
    peer.write(Buffer.concat([Buffer.from("ffffffff", "hex"), Buffer.alloc(3_000_000)]));
    expect(outcomes(await readAll(transport))).toEqual(["too_large"]);
    await transport.send({ error: "too large" });
    await until(() => mine.bytesRead === 3_000_004);
    await transport.close();
    expect((await textOf(peer)).slice(4)).toBe('{"error":"too large"}');
  });

  it("that is gone before the transport is made is lost, not waited for", async () => {
    const [peer, mine] = await tcpPair();
    mine.on("error", () => {});
    peer.resetAndDestroy();
    mine.resume();
    await until(() => mine.destroyed);
    const transport = transportOn(bothWays(mine));
    expect(await readAll(transport)).toEqual([]);
    expect(await transport.closed).toMatchObject({ code: "connection_lost" });
  });
});

describe("close", () => {
  it("is done once, keeps the first reason, and refuses later sends with it", async () => {
    const [, mine] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const reading = readAll(transport);
    const first = new HawserError("timeout", "first");
    const closings = [transport.close(first), transport.close(new HawserError("internal", "second")), transport.close()];
    await Promise.all(closings);
    expect(new Set(closings).size).toBe(1);
    expect(await transport.closed).toBe(first);
    await expect(transport.send(1)).rejects.toBe(first);
    expect(await reading).toEqual([]);
  });

  it("G8 lets everything leave that was sent before it", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { closeFlushMs: 30_000 });
    for (let n = 0; n < 300; n++) void transport.send("x".repeat(10_000)).catch(() => {});
    const closing = transport.close();
    expect((await textOf(peer)).length).toBe(300 * 10_003);
    await closing;
    await expect(transport.send(1)).rejects.toMatchObject({ code: "closed" });
    expect(await transport.closed).toBeUndefined();
  });

  it("waits for a peer that does not read only so long", async () => {
    const [, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { closeFlushMs: 100 });
    void transport.send("x".repeat(5_000_000)).catch(() => {});
    await transport.close();
    expect(mine.destroyed).toBe(true);
  });

  it("delivers what had arrived before it", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine));
    peer.write("1\n2\n");
    await until(() => mine.bytesRead === 4);
    await transport.close();
    expect(outcomes(await readAll(transport))).toEqual(["message", "message"]);
  });

  it("errors that come after it end nothing", async () => {
    const [streams] = passThroughPair();
    const transport = transportOn(streams);
    await transport.close();
    await wait(5);
    streams.readable.emit("error", new Error("late"));
    streams.writable.emit("error", new Error("later"));
    await wait(5);
    expect(await transport.closed).toBeUndefined();
  });

  it("flushes streams that belong to the process, and leaves the output open", async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()];
    const transport = transportOn({ readable, writable }, { ownsStreams: false });
    await transport.send("last");
    await transport.close();
    expect([writable.writableEnded, writable.destroyed, readable.destroyed]).toEqual([false, false, true]);
    writable.end("after");
    expect(await textOf(writable)).toBe('"last"\nafter');
  });
});

describe("the frame deadline", () => {
  it("closes a connection that is silent inside a frame, not one that is silent between frames", async () => {
    const [silentPeer, silent] = await unixPair();
    const [idlePeer, idle] = await unixPair();
    const [closing, staying] = [silent, idle].map((socket) => transportOn(bothWays(socket), { codec: lengthPrefix, frameDeadlineMs: 150 }));
    silentPeer.write(lengthHeader(100).subarray(0, 3));
    idlePeer.write(lengthPrefix.encode("whole"));
    expect(await closing?.closed).toMatchObject({ code: "timeout", facts: { clock: "idle", ms: 150 } });
    await wait(150);
    expect(staying && (await isSettled(staying.closed))).toBe(false);
  });

  it("is put off by every byte", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { codec: lengthPrefix, frameDeadlineMs: 1_000 });
    const reading = readAll(transport);
    for (const byte of lengthPrefix.encode("slow")) {
      peer.write(Buffer.from([byte]));
      await wait(150);
    }
    peer.end();
    expect(outcomes(await reading)).toEqual(["message"]);
  });

  it("does not run while we ourselves have paused the stream", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { codec: lengthPrefix, frameDeadlineMs: 100 });
    const frames = Buffer.concat(Array.from({ length: 5_000 }, (_, n) => lengthPrefix.encode({ n })));
    peer.end(frames);
    await until(() => mine.isPaused());
    await wait(400);
    expect(await isSettled(transport.closed)).toBe(false);
    expect((await readAll(transport)).length).toBe(5_000);
  });

  it("is off when nobody asked for it", async () => {
    const [peer, mine] = await unixPair();
    const transport = transportOn(bothWays(mine), { codec: lengthPrefix });
    peer.write(lengthHeader(100));
    await wait(100);
    expect(await isSettled(transport.closed)).toBe(false);
  });
});
