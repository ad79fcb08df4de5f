// Readers of a stream of JSON messages, ours and those that people use today, behind one signature:
// chunks in, every message handed to a callback, resolved at the end of the stream.

import { ndJsonStream } from "@agentclientprotocol/sdk";
import { readEach } from "@hawser/wire/internal";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import { ReadBuffer } from "@modelcontextprotocol/sdk/shared/stdio.js";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { ReadableStream, WritableStream } from "node:stream/web";
import split2 from "split2";
import { StreamMessageReader } from "vscode-jsonrpc/node";

export type OnMessage = (message: unknown) => void;
export type ReadAll = (chunks: readonly Buffer[], onMessage: OnMessage) => Promise<void> | void;

/** One decoder for all rounds, as there is one for all the messages of a connection. */
export function createDecoderReader(): ReadAll {
  const decoder = ndjson.createDecoder();
  return (chunks, onMessage) => {
    for (const chunk of chunks) {
      for (const item of decoder.push(chunk)) if (item.kind === "message") onMessage(item.value);
    }
  };
}

export async function readWithTransport(chunks: readonly Buffer[], onMessage: OnMessage): Promise<void> {
  const transport = createStreamTransport({ readable: streamOf(chunks), writable: new PassThrough(), codec: ndjson });
  await readEach(transport.incoming, (item) => void (item.kind === "message" && onMessage(item.value)));
  await transport.close();
}

export async function readWithReadlineEvents(chunks: readonly Buffer[], onMessage: OnMessage): Promise<void> {
  const lines = createInterface({ input: streamOf(chunks), crlfDelay: Infinity });
  lines.on("line", (line) => onMessage(JSON.parse(line)));
  await new Promise((resolve) => lines.once("close", resolve));
}

export async function readWithReadlineLoop(chunks: readonly Buffer[], onMessage: OnMessage): Promise<void> {
  for await (const line of createInterface({ input: streamOf(chunks), crlfDelay: Infinity })) onMessage(JSON.parse(line));
}

export async function readWithSplit2(chunks: readonly Buffer[], onMessage: OnMessage): Promise<void> {
  const messages = streamOf(chunks).pipe(split2(JSON.parse));
  messages.on("data", onMessage);
  await new Promise((resolve) => messages.once("end", resolve));
}

export async function readWithAcpSdk(chunks: readonly Buffer[], onMessage: OnMessage): Promise<void> {
  const { readable } = ndJsonStream(new WritableStream<Uint8Array>(), ReadableStream.from(chunks) as ReadableStream<Uint8Array>);
  for await (const message of readable) onMessage(message);
}

export function readWithMcpSdk(chunks: readonly Buffer[], onMessage: OnMessage): void {
  const buffer = new ReadBuffer();
  for (const chunk of chunks) {
    buffer.append(chunk);
    for (let message = buffer.readMessage(); message; message = buffer.readMessage()) onMessage(message);
  }
}

/** Takes frames with a Content-Length header. Its decoding is asynchronous, so the end is the last message, not the last chunk. */
export const readWithJsonRpc =
  (messageCount: number): ReadAll =>
  (chunks, onMessage) =>
    new Promise((resolve, reject) => {
      let left = messageCount;
      const reader = new StreamMessageReader(streamOf(chunks));
      reader.onError(reject);
      reader.listen((message) => {
        onMessage(message);
        if (--left === 0) resolve();
      });
    });

function streamOf(chunks: readonly Buffer[]): Readable {
  let next = 0;
  return new Readable({
    read() {
      this.push(chunks[next++] ?? null);
    },
  });
}
