// The echo server against peers that do not play by the rules: every message that is no request,
// ids that no answer can carry, peers that do not read, headers that lie.

import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Codec } from "../../src/codec/codec.ts";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { serveEcho } from "../../src/echo/serve-echo.ts";
import { createStreamTransport, type StreamTransportOptions } from "../../src/transport/stream-transport.ts";
import { decodeAll, framings, lengthHeader, rawFrame, valuesOf } from "../framing.ts";
import { bothWays, unixPair } from "../pipes.ts";
import { until, whenStuck } from "../../../../test/kit/until.ts";
import { createEchoClient, type EchoClient } from "./echo-client.ts";

interface Served {
  readonly peer: Socket;
  readonly mine: Socket;
  readonly served: Promise<void>;
}

/** A server on one end of a Unix socket that closes its end when it has nothing left to do. */
async function serve(codec: Codec, options: Partial<StreamTransportOptions> = {}): Promise<Served> {
  const [peer, mine] = await unixPair();
  peer.on("error", () => {});
  const transport = createStreamTransport({ ...bothWays(mine), codec, tap: undefined, ...options });
  const served = serveEcho(transport).then(() => transport.close());
  onTestFinished(async () => {
    peer.destroy();
    await served;
  });
  return { peer, mine, served };
}

function clientOn(peer: Socket, codec: Codec): EchoClient {
  return createEchoClient(createStreamTransport({ ...bothWays(peer), codec, tap: undefined }));
}

describe.each(framings)("over $name", (codec) => {
  /** What the server answers to these bytes; it must still be alive after them. */
  async function answersTo(bytes: Buffer, count: number): Promise<unknown[]> {
    const { peer } = await serve(codec);
    const client = clientOn(peer, codec);
    peer.write(bytes);
    const ends = await client.ends(count);
    await client.send({ id: "alive", kind: "echo", value: count });
    expect((await client.ends(count + 1)).at(-1)).toEqual({ id: "alive", type: "echoed", value: count });
    return ends;
  }

  it("WIR-07 answers each message that is no request with one error, and lives", async () => {
    const payloads = [
      "[]",
      "1",
      "null",
      '"x"',
      "true",
      "{}",
      '{"id":"a"}',
      '{"id":"a","kind":"sleep","ms":[]}',
      '{"id":"a","kind":5}',
      "{",
    ];
    const answers = await answersTo(Buffer.concat(payloads.map((payload) => rawFrame(codec, payload))), payloads.length);
    expect(answers.map((answer) => (answer as { type: string }).type)).toEqual(payloads.map(() => "error"));
    expect(answers.map((answer) => (answer as { id?: string }).id)).toEqual([...Array<undefined>(6), "a", "a", "a", undefined]);
  });

  it("G6 says in plain words what is wrong with an id", async () => {
    const payloads = ['{"id":5,"kind":"echo","value":1}', '{"kind":"echo","value":1}', '{"id":"","kind":"echo","value":1}'];
    const answers = await answersTo(Buffer.concat(payloads.map((payload) => rawFrame(codec, payload))), payloads.length);
    const texts = answers.map((answer) => (answer as { error: string }).error);
    expect(texts).toEqual(['"id" must be a string', '"id" must be a string', '"id" must not be empty']);
  });

  it("G1 H40 answers a broken message with its id when one can be read from its beginning", async () => {
    const payloads = [
      '{"id":"a","kind":',
      '{"id":"b","kind":"echo","value":"\\ud800"}',
      `{"id":"c","deep":${"[".repeat(300)}`,
      '{"id":{a:b},"k":',
      '{"id":"\\x",',
    ];
    const answers = await answersTo(Buffer.concat(payloads.map((payload) => rawFrame(codec, payload))), payloads.length);
    expect(answers).toMatchObject([
      { id: "a", type: "error", code: "invalid_json" },
      { id: "b", type: "error", code: "invalid_utf8" },
      { id: "c", type: "error", code: "too_deep" },
      { type: "error", code: "invalid_json" },
      { type: "error", code: "invalid_json" },
    ]);
    expect(answers.slice(3).every((answer) => !Object.hasOwn(answer as object, "id"))).toBe(true);
  });

  it("G1 an id too deep or too long for any answer gets one error without it, and the server lives", async () => {
    const deep = `${"[".repeat(127)}${"]".repeat(127)}`;
    const payloads = [`{"id":${deep},"kind":"echo"}`, `{"id":"${"x".repeat(10_485_735)}","kind":"status"}`];
    const answers = await answersTo(Buffer.concat(payloads.map((payload) => rawFrame(codec, payload))), 2);
    expect(answers).toMatchObject([
      { type: "error", code: "too_deep" },
      { type: "error", code: "too_large" },
    ]);
    expect(answers.every((answer) => !Object.hasOwn(answer as object, "id"))).toBe(true);
  });

  it("G1 a stream whose pieces are too large for its id ends with one error", async () => {
    const request = { id: "x".repeat(9_500_000), kind: "stream", count: 5, bytes: 1_000_000 };
    expect(await answersTo(rawFrame(codec, JSON.stringify(request)), 1)).toMatchObject([
      { id: request.id, type: "error", code: "too_large" },
    ]);
  });

  it("G1 a value too deep to be written again is answered with an error and its id", async () => {
    const answers = await answersTo(rawFrame(codec, `{"id":"d","kind":"echo","value":${"[".repeat(127)}${"]".repeat(127)}}`), 1);
    expect(answers).toMatchObject([{ id: "d", type: "error", code: "too_deep" }]);
  });

  it("G1 a peer that asks much and reads late loses no answer", async () => {
    const { peer, mine } = await serve(codec, { maxUnsentBytes: 100_000 });
    const requests = Array.from({ length: 40 }, (_, n) => codec.encode({ id: String(n), kind: "echo", value: "x".repeat(40_000) }));
    const garbage = Array.from({ length: 2_000 }, () => rawFrame(codec, "{broken"));
    peer.write(Buffer.concat([...requests, ...garbage]));
    await until(() => mine.writableLength > 0);
    expect(await whenStuck(() => mine.writableLength)).toBeLessThan(200_000);
    const client = clientOn(peer, codec);
    const ends = await client.ends(2_040);
    expect(new Set(ends.filter(({ type }) => type === "echoed").map(({ id }) => id)).size).toBe(40);
    expect(ends.filter(({ type }) => type === "error").length).toBe(2_000);
  });

  it("WIR-19 a peer that only ended its input gets every answer, and then the end", async () => {
    const { peer, served } = await serve(codec);
    const chunks: Buffer[] = [];
    peer.on("data", (chunk: Buffer) => chunks.push(chunk));
    peer.end(Buffer.concat([codec.encode({ id: "1", kind: "sleep", ms: 300 }), codec.encode({ id: "2", kind: "echo", value: 2 })]));
    await served;
    await until(() => peer.readableEnded);
    expect(valuesOf(decodeAll(codec, chunks))).toEqual([
      { id: "2", type: "echoed", value: 2 },
      { id: "1", type: "done" },
    ]);
  });

  it("WIR-19 a peer that is gone ends its hour-long request at once", async () => {
    const { peer, mine, served } = await serve(codec);
    peer.write(codec.encode({ id: "1", kind: "sleep", ms: 3_600_000 }));
    await until(() => mine.bytesRead > 0);
    peer.destroy();
    await served;
    expect(mine.destroyed).toBe(true);
  });
});

it.each(["ffffffff", "80000000", "7fffffff"])("WIR-04 R10 header %s: one error, then the end, and memory as before", async (header) => {
  const { peer, served } = await serve(lengthPrefix);
  const chunks: Buffer[] = [];
  peer.on("data", (chunk: Buffer) => chunks.push(chunk));
  const before = process.memoryUsage();
  peer.write(Buffer.from(header, "hex"));
  await served;
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_048_576);
  // Of the whole test process, in which other things go on; what was announced is a hundred times as much.
  expect(after.rss - before.rss).toBeLessThan(268_435_456);
  await until(() => peer.readableEnded);
  expect(valuesOf(decodeAll(lengthPrefix, chunks))).toMatchObject([{ type: "error", code: "too_large" }]);
});

it("WIR-05 200 connections that announce 10 MiB and fall silent cost little, hinder nobody and are closed", async () => {
  const before = process.memoryUsage();
  const silent: Served[] = [];
  for (let count = 0; count < 200; count++) silent.push(await serve(lengthPrefix, { frameDeadlineMs: 700 }));
  for (const { peer } of silent) peer.write(Buffer.concat([lengthHeader(10_485_760), Buffer.from('{"id":')]));
  await until(() => silent.every(({ mine }) => mine.bytesRead === 10));
  const now = process.memoryUsage();
  expect(now.arrayBuffers - before.arrayBuffers).toBeLessThan(33_554_432);
  // Two hundred sockets and whatever else goes on in this process, and not two thousand megabytes.
  expect(now.rss - before.rss).toBeLessThan(268_435_456);
  const { peer } = await serve(lengthPrefix, { frameDeadlineMs: 700 });
  const client = clientOn(peer, lengthPrefix);
  await client.send({ id: "new", kind: "echo", value: 1 });
  expect(await client.ends(1)).toEqual([{ id: "new", type: "echoed", value: 1 }]);
  await Promise.all(silent.map(({ served }) => served));
  expect(silent.every(({ mine }) => mine.destroyed)).toBe(true);
  await client.send({ id: "later", kind: "echo", value: 2 });
  expect((await client.ends(2))[1]).toEqual({ id: "later", type: "echoed", value: 2 });
});
