// Every limit of the codecs and transports, reached and passed by one, with the exact reaction.
// A limit that one of them begins to use must be added here.

import { readdirSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { createByteBudget } from "../src/flow/byte-budget.ts";
import type { Codec } from "../src/codec/codec.ts";
import { parseJsonText, toJsonText } from "../src/codec/json-text.ts";
import { lengthPrefix } from "../src/codec/length-prefix.ts";
import { ndjson } from "../src/codec/ndjson.ts";
import { echoProtocol, HawserError } from "@hawser/protocol";
import { wireLimits } from "../src/limits.ts";
import { createStreamTransport, type StreamTransportOptions } from "../src/transport/stream-transport.ts";
import { createIncomingMailbox, type Incoming, type Transport } from "../src/transport/transport.ts";
import { asRefused, decodeAll, lengthHeader, rawFrame } from "./framing.ts";
import { bothWays, startFixture, unixPair, wait } from "./pipes.ts";
import { textOf } from "../../../test/kit/node-programs.ts";

/** A transport whose peer is this script: it gets these bytes, and what it writes goes nowhere. */
function scripted(
  codec: Codec,
  bytes: Buffer | undefined,
  options: Partial<StreamTransportOptions> = {},
): Transport & { output: PassThrough } {
  const [readable, output] = [new PassThrough(), new PassThrough()];
  const transport = createStreamTransport({ readable, writable: output, codec, tap: undefined, ...options });
  onTestFinished(() => transport.close());
  if (bytes) readable.end(bytes);
  return { ...transport, output };
}

async function readAll(transport: Transport): Promise<Incoming[]> {
  const items: Incoming[] = [];
  for await (const item of transport.incoming) items.push(item);
  return items;
}

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const reactions: Record<string, () => Promise<void>> = {
  async maxMessageBytes() {
    const tooLong = `"${"x".repeat(wireLimits.maxMessageBytes - 1)}"`;
    for (const codec of [ndjson, lengthPrefix]) {
      const items = await readAll(
        scripted(codec, Buffer.concat([rawFrame(codec, tooLong), rawFrame(codec, tooLong.slice(1)), rawFrame(codec, "1")])),
      );
      expect(items.map((item) => (item.kind === "message" ? item.value : item.error.code))).toEqual(["too_large", "invalid_json", 1]);
      await expect(scripted(codec, undefined).send(tooLong)).rejects.toMatchObject({ code: "too_large", facts: { maxBytes: 10_485_760 } });
    }
  },

  async maxDiscardBytes() {
    const lives = await readAll(
      scripted(lengthPrefix, Buffer.concat([lengthHeader(67_108_864), Buffer.alloc(67_108_864), rawFrame(lengthPrefix, "1")])),
    );
    expect(lives).toMatchObject([
      { error: { code: "too_large" }, fatal: false, position: 1 },
      { value: 1, position: 2 },
    ]);
    const ends = await readAll(scripted(lengthPrefix, Buffer.concat([lengthHeader(67_108_865), rawFrame(lengthPrefix, "1")])));
    expect(ends).toMatchObject([{ error: { code: "too_large" }, fatal: true, position: 1 }]);
  },

  maxReadDepth() {
    expect(parseJsonText(nested(128))).toBeInstanceOf(Array);
    expect(() => parseJsonText(nested(129))).toThrow(expect.objectContaining({ code: "too_deep", facts: { maxDepth: 128 } }));
    return Promise.resolve();
  },

  async maxWriteDepth() {
    const transport = scripted(ndjson, undefined);
    await transport.send(JSON.parse(nested(127)));
    await expect(transport.send(JSON.parse(nested(128)))).rejects.toMatchObject({ code: "too_deep", facts: { maxDepth: 127 } });
    expect(transport.output.read()?.toString()).toBe(`${nested(127)}\n`);
    expect(() => toJsonText(JSON.parse(nested(128)))).toThrow(expect.objectContaining({ code: "too_deep" }));
  },

  refusedHeadBytes() {
    for (const codec of [ndjson, lengthPrefix]) {
      for (const filler of ["x".repeat(4_090), "x".repeat(4_096), "x".repeat(100_000)]) {
        const { head } = asRefused(decodeAll(codec, [rawFrame(codec, filler)])[0]);
        expect(head).toBe(filler.slice(0, 4_096));
      }
    }
    return Promise.resolve();
  },

  async maxUnsentBytes() {
    const [peer, mine] = await unixPair();
    peer.pause();
    const transport = createStreamTransport({ ...bothWays(mine), codec: ndjson, tap: undefined });
    const message = "x".repeat(wireLimits.maxMessageBytes - 2);
    const sends = Array.from({ length: 4 }, () => transport.send(message));
    for (const send of sends.slice(0, 3)) send.catch(() => {});
    await expect(sends[3]).rejects.toMatchObject({ code: "overloaded", facts: { maxUnsentBytes: 33_554_432 } });
    expect(mine.writableLength).toBeLessThanOrEqual(wireLimits.maxUnsentBytes);
    await transport.close(new HawserError("closed", "enough"));
  },

  maxUnreadChars() {
    const inbox = createIncomingMailbox();
    inbox.put([{ kind: "message", value: 0, text: "0".repeat(10_485_760), position: 1 }]);
    expect(inbox.isFull).toBe(false);
    inbox.put([{ kind: "message", value: 0, text: "0", position: 2 }]);
    expect(inbox.isFull).toBe(true);
    return Promise.resolve();
  },

  memberChars() {
    // 9,000 characters in one string, or in 3,000 objects of an array.
    const weightOf = (text: string): number => {
      const inbox = createIncomingMailbox();
      inbox.put([{ kind: "message", value: 0, text, position: 1 }]);
      return inbox.unreadWeight;
    };
    expect(weightOf(`"${"{".repeat(8_998)}"`)).toBe(9_000);
    expect(weightOf(`[${"{},".repeat(2_999)}1]`)).toBe(9_000 + 64 * 3_000);
    expect(weightOf("[{},{}]")).toBe(7);
    return Promise.resolve();
  },

  maxHeldBytes() {
    const budget = createByteBudget();
    const share = budget.openShare();
    share.set(33_554_432);
    expect(budget.isFull).toBe(false);
    share.set(33_554_433);
    expect(budget.isFull).toBe(true);
    // One message may weigh as much. The outer array counts too; brackets and colons inside strings don't.
    const withMembers = (count: number, padding: number): string => `["${"{".repeat(padding)}"${",{}".repeat(count - 1)}]`;
    const weightOf = (text: string, count: number): number => text.length + 64 * count;
    const heaviest = withMembers(500_000, 54_431);
    expect(weightOf(heaviest, 500_000)).toBe(33_554_432);
    expect(parseJsonText(heaviest)).toHaveLength(500_000);
    expect(() => parseJsonText(withMembers(500_000, 54_432))).toThrow(expect.objectContaining({ code: "too_large" }));
    return Promise.resolve();
  },
  maxUnreadMessages() {
    const inbox = createIncomingMailbox();
    for (let position = 1; position <= 256; position++) inbox.put([{ kind: "message", value: 0, text: "0", position }]);
    expect(inbox.isFull).toBe(false);
    inbox.put([{ kind: "message", value: 0, text: "0", position: 257 }]);
    expect(inbox.isFull).toBe(true);
    return Promise.resolve();
  },

  async frameDeadlineMs() {
    const [peer, mine] = await unixPair();
    const transport = createStreamTransport({ ...bothWays(mine), codec: lengthPrefix, tap: undefined, frameDeadlineMs: 60 });
    peer.write(lengthHeader(9));
    expect(await transport.closed).toMatchObject({ code: "timeout", message: "no sign of life for 60 ms" });
    expect(wireLimits.frameDeadlineMs).toBe(30_000);
  },

  async closeFlushMs() {
    const [, mine] = await unixPair();
    const transport = createStreamTransport({ ...bothWays(mine), codec: ndjson, tap: undefined });
    void transport.send("x".repeat(5_000_000)).catch(() => {});
    const start = performance.now();
    await transport.close();
    expect(performance.now() - start).toBeGreaterThanOrEqual(wireLimits.closeFlushMs - 10);
    expect(mine.destroyed).toBe(true);
  },

  async halfClosedProbeMs() {
    const [peer, mine] = await unixPair();
    const transport = createStreamTransport({ ...bothWays(mine), codec: ndjson, tap: undefined });
    peer.end();
    await readAll(transport);
    await wait(50);
    peer.destroy();
    expect(await transport.closed).toMatchObject({ code: "connection_lost" });
    expect(wireLimits.halfClosedProbeMs).toBe(250);
  },

  async maxTapChars() {
    const child = startFixture("echo-stdio.ts", [], { HAWSER_DEBUG: "protocol" });
    child.stdout.resume();
    child.stdin.end(`"${"x".repeat(1_998)}"\n"${"x".repeat(1_999)}"\n`);
    const received = (await textOf(child.stderr)).split("\n").filter((line) => line.startsWith("[RECV] "));
    expect(received).toEqual([`[RECV] "${"x".repeat(1_998)}"`, `[RECV] "${"x".repeat(1_998)}… (2001 characters)`]);
  },

  maxErrorTextChars() {
    const refuse = (): unknown => echoProtocol.parseRequest({ id: "1", kind: "sleep", ms: "x".repeat(10_000) });
    expect(refuse).toThrow(
      expect.objectContaining({ message: expect.toSatisfy((text: string) => text.length === 2_000 + '"ms": '.length) }),
    );
    return Promise.resolve();
  },
};

it.each(Object.entries(reactions))("G15 %s is kept, and passing it by one has its one reaction", async (_, react) => {
  await expect(react()).resolves.toBeUndefined();
});

it("G15 every limit that a codec, a transport or a table uses is proved here", () => {
  const source = new URL("../src/", import.meta.url);
  const files = ["", "codec/", "flow/", "transport/", "files/"].flatMap((folder) =>
    readdirSync(new URL(folder, source)).map((name) => new URL(folder + name, source)),
  );
  const texts = files.filter(({ pathname }) => pathname.endsWith(".ts")).map((file) => readFileSync(file, "utf8"));
  const used = texts
    .flatMap((text) => [...text.matchAll(/\bwireLimits\.(\w+)/g)].map(([, name]) => name ?? ""))
    .filter((name) => name in wireLimits);
  // Proved by log, noise-log, file-lock, private-folder and sweep.test.ts: they need processes, a log or a folder of their own.
  const provedElsewhere = ["maxStderrBytes", "lockWaitMs", "staleFolderMs", "maxSweptEntries"];
  expect(new Set(used).difference(new Set([...Object.keys(reactions), ...provedElsewhere]))).toEqual(new Set());
  expect(used.length).toBeGreaterThan(20);
});
