// The fuzzer: both ends of the echo protocol, in both framings, against frames that are partly
// valid and partly damaged. Each thousand frames are one connection, and for each it asserts that
// nothing crashed or hung, that the server wrote only whole valid messages and ended every message
// it was sent exactly once, and that both ends were alive to the last frame.

import { PassThrough } from "node:stream";
import type { Codec } from "../src/codec/codec.ts";
import { JsonText } from "../src/codec/json-text.ts";
import { serveEcho } from "../src/echo/serve-echo.ts";
import { echoProtocol, type EchoResponse, HawserError, toHawserError } from "@hawser/protocol";
import { createMemoryPair } from "../src/transport/memory-transport.ts";
import { createPendingTable, type PendingTable } from "../src/flow/pending.ts";
import { createStreamTransport } from "../src/transport/stream-transport.ts";
import type { Incoming, Transport } from "../src/transport/transport.ts";
import { cut, decodeAll, framings } from "./framing.ts";
import { damagedFrame, randomValue, replyText, requestText } from "./fuzz-frames.ts";
import { createRandom, type Random } from "./random.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Frames in all; rounded up to whole connections of a thousand. */
  readonly rounds: number;
  onProgress?(frames: number): void;
}

export interface FuzzResult {
  readonly frames: number;
  readonly answers: number;
  readonly settled: number;
}

const framesPerConnection = 1_000;
const hangMs = 100_000;
// Small, so that frames beyond the limit are cheap.
const codecOptions = { maxMessageBytes: 4_096 };

/** Throws with the seed in its message when anything is not as it must be. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const random = createRandom(options.seed);
  let [frames, answers, settled] = [0, 0, 0];
  for (let turn = 0; frames < options.rounds; turn++) {
    const codec = framings[turn % 2] as Codec;
    try {
      if (turn % 10 === 9) answers += await within(attackOverMemory(random));
      else if (turn % 4 < 2) answers += await within(attackServer(random, codec));
      else settled += await within(attackClient(random, codec));
    } catch (cause) {
      throw new Error(`fuzz failed with seed ${options.seed} at frame ${frames} (${codec.name}): ${String(cause)}`, { cause });
    }
    frames += framesPerConnection;
    options.onProgress?.(frames);
  }
  return { frames, answers, settled };
}

// --- garbage requests for a server

async function attackServer(random: Random, codec: Codec): Promise<number> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = createStreamTransport({ readable: input, writable: output, codec, tap: undefined, ...codecOptions });
  const written = collect(output);
  const serving = serveEcho(transport).then(() => transport.close());
  const alive = codec.encode({ id: "alive", kind: "echo", value: "still here" });
  const frames = Array.from({ length: framesPerConnection - 1 }, () => damagedFrame(random, codec, requestText(random)));
  const chunks = cut(Buffer.concat([...frames, alive]), randomSizes(random));
  await writeAll(input, chunks);
  await serving;
  return compare(decodeAll(codec, chunks, codecOptions), decodeAll(codec, [await written]));
}

/** What the server was sent, by the decoder alone, against what it answered. */
function compare(sent: readonly Incoming[], received: readonly Incoming[]): number {
  const answers = received.map((item) => {
    if (item.kind === "refused") throw new Error(`the server wrote what no reader takes: ${item.error.message}: ${item.head}`);
    return echoProtocol.parseResponse(withoutOddId(item.value));
  });
  const ends = answers.filter(({ type }) => type !== "piece");
  if (ends.length !== sent.length) throw new Error(`${sent.length} messages came in, ${ends.length} ends went out`);
  const last = sent.at(-1);
  const wasHeard = last?.kind === "message" && last.text.includes('"alive"');
  const isAlive = answers.some((answer) => answer.type === "echoed" && answer.id === "alive");
  if (wasHeard && !isAlive) throw new Error("the last request was not answered");
  return answers.length;
}

// An error echoes whatever id it was sent; the definition asks for a proper one.
function withoutOddId(value: unknown): unknown {
  const { id, ...rest } = value as { id?: unknown };
  return typeof id === "string" && id !== "" ? value : rest;
}

// --- random values for a server without bytes between

async function attackOverMemory(random: Random): Promise<number> {
  const [mine, theirs] = createMemoryPair();
  const serving = serveEcho(theirs);
  let answers = 0;
  const reading = (async () => {
    for await (const item of mine.incoming) {
      answers++;
      if (item.kind === "message" && (item.value as { id?: unknown }).id === "alive") return;
    }
  })();
  for (let count = 1; count < framesPerConnection; count++) {
    const message = random.chance(0.5) ? randomValue(random) : new JsonText(requestText(random));
    await mine.send(message).catch((error: unknown) => void toHawserError(error));
  }
  await mine.send({ id: "alive", kind: "echo", value: 1 });
  await reading;
  await mine.close();
  await serving;
  return answers;
}

// --- garbage replies for a client

async function attackClient(random: Random, codec: Codec): Promise<number> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.resume();
  const transport = createStreamTransport({ readable: input, writable: output, codec, tap: undefined, ...codecOptions });
  const pending = createPendingTable<EchoResponse, EchoResponse>();
  const ids = Array.from({ length: 200 }, (_, n) => `c${n}`);
  const waits = [...ids, "alive"].map((id) => pending.wait(id));
  const reading = readReplies(transport, pending);
  const frames = Array.from({ length: framesPerConnection - 1 }, () => damagedFrame(random, codec, replyText(random, ids)));
  const alive = codec.encode({ id: "alive", type: "done" });
  const chunks = cut(Buffer.concat([...frames, alive]), randomSizes(random));
  await writeAll(input, chunks);
  await reading;
  await transport.close();
  const outcomes = await Promise.allSettled(waits);
  if (pending.size !== 0) throw new Error(`${pending.size} waits were left`);
  const last = decodeAll(codec, chunks, codecOptions).at(-1);
  const wasHeard = last?.kind === "message" && last.text.includes('"alive"');
  if (wasHeard && outcomes.at(-1)?.status !== "fulfilled") throw new Error("the last reply was not heard");
  return outcomes.length;
}

/** A client's reader: what is no reply is ignored, and the end settles whoever still waits. */
async function readReplies(transport: Transport, pending: PendingTable<EchoResponse, EchoResponse>): Promise<void> {
  for await (const item of transport.incoming) {
    if (item.kind === "refused") continue;
    try {
      const reply = echoProtocol.parseResponse(item.value);
      if (reply.id === undefined) continue;
      if (reply.type === "piece") pending.event(reply.id, reply);
      else if (reply.type === "error") pending.reject(reply.id, new HawserError("internal", reply.error));
      else pending.resolve(reply.id, reply);
    } catch (error) {
      if (!HawserError.isInstance(error)) throw error;
    }
  }
  pending.close(new HawserError("connection_lost", "the stream has ended"));
}

// --- shared

const randomSizes = (random: Random): number[] =>
  Array.from({ length: 400_000 }, () => (random.chance(0.05) ? 4_000 : random.between(1, 143)));

/** Writes until the end, or until nobody reads any more. */
async function writeAll(input: PassThrough, chunks: readonly Buffer[]): Promise<void> {
  const closed = new Promise<void>((resolve) => input.once("close", resolve));
  for (const chunk of chunks) {
    if (input.destroyed) return;
    if (!input.write(chunk)) await Promise.race([closed, new Promise<void>((resolve) => input.once("drain", resolve))]);
  }
  input.end();
}

async function collect(output: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function within<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`hung for ${hangMs} ms`)), hangMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
