// Traffic over real streams: order on every medium, one write per message, and backpressure in
// both directions, with bounds on what is held.

import { Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { ndjson } from "../../src/codec/ndjson.ts";
import { wireLimits } from "../../src/limits.ts";
import { createStreamTransport, type StreamTransportOptions } from "../../src/transport/stream-transport.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { asReceived, framings } from "../framing.ts";
import { bothWays, passThroughPair, tcpPair, unixPair, type Streams } from "../pipes.ts";
import { startNode } from "../../../../test/kit/node-programs.ts";
import { until, whenStuck } from "../../../../test/kit/until.ts";

function transportOn(streams: Streams, options: Partial<StreamTransportOptions> = {}): Transport {
  const transport = createStreamTransport({ codec: ndjson, tap: undefined, ...streams, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

async function take(transport: Transport, count: number): Promise<unknown[]> {
  const iterator = transport.incoming[Symbol.asyncIterator]();
  const values: unknown[] = [];
  while (values.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    values.push(asReceived(value).value);
  }
  return values;
}

const media: readonly (readonly [string, () => Promise<[Streams, Streams]>])[] = [
  ["a Unix socket", async () => (await unixPair()).map(bothWays) as [Streams, Streams]],
  ["a TCP socket", async () => (await tcpPair()).map(bothWays) as [Streams, Streams]],
  ["in-memory streams", () => Promise.resolve(passThroughPair())],
];

describe.each(framings)("$name", (codec) => {
  it.each(media)("R5 delivers 2,000 messages of all sizes each way in order over %s", async (_, open) => {
    const [left, right] = (await open()).map((streams) => transportOn(streams, { codec })) as [Transport, Transport];
    const messages = Array.from({ length: 2_000 }, (__, n) => ({ n, text: "é".repeat((n * 37) % 3_000) }));
    const send = async (transport: Transport): Promise<void> => {
      for (const message of messages) await transport.send(message);
    };
    const [fromRight, fromLeft] = await Promise.all([take(left, 2_000), take(right, 2_000), send(left), send(right)]);
    expect(fromRight).toEqual(messages);
    expect(fromLeft).toEqual(messages);
  });

  it("delivers in order through the pipes of a child that sends everything back", async () => {
    const child = startNode(["-e", "process.stdin.pipe(process.stdout)"]);
    const transport = transportOn({ readable: child.stdout, writable: child.stdin }, { codec });
    const messages = Array.from({ length: 1_000 }, (_, n) => ({ n, text: "x".repeat(n) }));
    const received = take(transport, 1_000);
    for (const message of messages) await transport.send(message);
    expect(await received).toEqual(messages);
  });

  it("R139 R142 R145 every write is one whole message", async () => {
    const chunks: Buffer[] = [];
    const writable = new Writable({ write: (chunk: Buffer, _, done) => (chunks.push(chunk), done()) });
    const [{ readable }] = passThroughPair();
    const transport = transportOn({ readable, writable }, { codec });
    const messages = ["a", { b: "x\n\u2028y" }, [1, 2], "z".repeat(100_000)];
    for (const message of messages) await transport.send(message);
    const documents = chunks.map((chunk) => chunk.toString("utf8", codec === lengthPrefix ? 4 : 0));
    expect(documents.map((document) => JSON.parse(document) as unknown)).toEqual(messages);
    if (codec === ndjson) expect(documents.every((document) => document.indexOf("\n") === document.length - 1)).toBe(true);
  });

  it("R31 a message that can't be sent is the sender's error: not a byte is written, and the stream lives", async () => {
    const [left, right] = passThroughPair();
    const transport = transportOn(left, { codec, maxMessageBytes: 50 });
    const circle: unknown[] = [];
    circle.push(circle);
    await expect(transport.send("x".repeat(49))).rejects.toMatchObject({ code: "too_large" });
    await expect(transport.send(circle)).rejects.toMatchObject({ code: "not_serializable" });
    await expect(transport.send(undefined)).rejects.toMatchObject({ code: "not_serializable" });
    expect(right.readable.readableLength).toBe(0);
    await transport.send("fine");
    expect(await take(transportOn(right, { codec }), 1)).toEqual(["fine"]);
  });
});

describe("a peer that does not read", () => {
  it("holds its sender back: send stays pending, little is held, and reading releases it", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const text = "x".repeat(10_000);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 2_000; sent++) await transport.send(text);
    })();
    const stuckAt = await whenStuck(() => sent);
    expect(stuckAt).toBeLessThan(500);
    expect(mine.writableLength).toBeLessThan(200_000);
    const received = await take(transportOn(bothWays(peer)), 2_000);
    await sending;
    expect(received.length).toBe(2_000);
  });

  it("G10 costs a sender that waits no memory, whatever there is to send", async () => {
    const [mine] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const message = "x".repeat(1_000_000);
    const before = process.memoryUsage();
    let sent = 0;
    const sending = (async () => {
      for (; sent < 1_000; sent++) await transport.send(message);
    })();
    await whenStuck(() => sent);
    expect(mine.writableLength).toBeLessThan(2_500_000);
    const now = process.memoryUsage();
    expect(now.arrayBuffers - before.arrayBuffers).toBeLessThan(33_554_432);
    // Of the whole test process, in which other things go on.
    expect(now.rss - before.rss).toBeLessThan(268_435_456);
    const stopped = expect(sending).rejects.toMatchObject({ code: "closed" });
    await transport.close();
    await stopped;
  });

  it("a sender that does not wait is refused as overloaded beyond the limit, and served again later", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine), { maxUnsentBytes: 1_000_000 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, n) => deadEnd(transport.send({ n, text: "x".repeat(9_900) }))),
    );
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.length).toBeGreaterThan(800);
    expect(refused[0]?.reason).toMatchObject({ code: "overloaded", facts: { maxUnsentBytes: 1_000_000 } });
    expect(mine.writableLength).toBeGreaterThan(900_000);
    expect(mine.writableLength).toBeLessThanOrEqual(1_000_000);
    const receiving = take(transportOn(bothWays(peer)), 1_001 - refused.length);
    await until(() => mine.writableLength === 0);
    await transport.send("last");
    const received = await receiving;
    expect(received.at(-1)).toBe("last");
    expect(received.slice(0, -1).map((message) => (message as { n: number }).n)).toEqual(
      Array.from({ length: 1_000 - refused.length }, (_, n) => n),
    );
  });

  it("one message larger than the limit still goes when nothing else is waiting", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine), { maxUnsentBytes: 1_000 });
    const sending = transport.send("x".repeat(5_000_000));
    await expect(transport.send("next")).rejects.toMatchObject({ code: "overloaded" });
    expect(await take(transportOn(bothWays(peer)), 1)).toEqual(["x".repeat(5_000_000)]);
    await sending;
  });

  it("the default limit is 32 MiB", () => {
    expect(wireLimits.maxUnsentBytes).toBe(33_554_432);
  });
});

describe("a reader that falls behind", () => {
  it("stops the stream at the limit of unread messages, and gets everything when it reads again", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const lines = Array.from({ length: 200_000 }, (_, n) => `{"n":${n}}\n`).join("");
    peer.write(lines);
    await until(() => mine.isPaused());
    expect(await whenStuck(() => mine.bytesRead)).toBeLessThan(400_000);
    const received = await take(transport, 200_000);
    expect(received.length).toBe(200_000);
    expect(received.every((message, n) => (message as { n: number }).n === n)).toBe(true);
  });

  it("G10 stops it also when few messages are unread but large", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine));
    const line = Buffer.from(`"${"x".repeat(5_000_000)}"\n`);
    for (let count = 0; count < 16; count++) peer.write(line);
    await until(() => mine.isPaused());
    expect(await whenStuck(() => mine.bytesRead)).toBeLessThan(20_000_000);
    expect((await take(transport, 16)).length).toBe(16);
  });

  it("that leaves lets the stream flow: what comes is dropped, and sending still works", async () => {
    const [mine, peer] = await unixPair();
    const transport = transportOn(bothWays(mine));
    peer.write("1\n2\n");
    for await (const item of transport.incoming) if (item.position === 1) break;
    await new Promise<void>((resolve) => peer.write("3\n".repeat(500_000), () => resolve()));
    await transport.send("still here");
    expect(await take(transportOn(bothWays(peer)), 1)).toEqual(["still here"]);
  });
});

/** A send whose promise is not waited for: pending ones count as taken. */
const deadEnd = (sending: Promise<void>): Promise<void> => Promise.race([sending, new Promise<void>((resolve) => setImmediate(resolve))]);

it("where turns are gathered, messages of one turn leave in one write, and a sender beyond the room of the stream waits", async () => {
  const writes: string[] = [];
  let letGo: (() => void) | undefined;
  const writable = new Writable({
    highWaterMark: 100,
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      letGo = done;
    },
  });
  const [{ readable }] = passThroughPair();
  const transport = transportOn({ readable, writable }, { gathersTurn: true, ownsStreams: false });
  const sent = [transport.send("a"), transport.send("b"), transport.send("c".repeat(90)), transport.send("d")];
  let isOver = false;
  const last = sent[3]?.then(() => (isOver = true));
  expect(writes).toEqual([]);
  await Promise.all(sent.slice(0, 2));
  await until(() => writes.length === 1);
  expect(writes).toEqual([`"a"\n"b"\n"${"c".repeat(90)}"\n"d"\n`]);
  expect(isOver).toBe(false);
  letGo?.();
  await last;
  const end = transport.send("e");
  const closing = transport.close();
  expect(writes.at(-1)).toBe('"e"\n');
  letGo?.();
  await Promise.all([end, closing]);
});
