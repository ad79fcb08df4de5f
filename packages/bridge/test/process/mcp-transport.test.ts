// Answers on their way to the client: those that come together leave together, and one alone leaves at once.

import { PassThrough, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JSONRPCMessage, Transport as McpTransport } from "@modelcontextprotocol/server";
import { createStreamTransport, ndjson } from "@hawser/wire/node";
import { describe, expect, it } from "vitest";
import { createClientRequests } from "../../src/process/client-requests.ts";
import { createMcpTransport } from "../../src/process/mcp-transport.ts";

/** Both ends of a client's connection, with the direct door closed. */
function open(readable: PassThrough, writable: Writable) {
  const transport = createStreamTransport({ readable, writable, codec: ndjson });
  const requests = createClientRequests(transport, new AbortController().signal);
  const calls = { callDirectly: () => false, cancel: () => false, refusal: () => ({ content: [] }) };
  return { mcp: createMcpTransport({ transport, requests, calls }), requests };
}

interface Stage {
  readonly mcp: McpTransport;
  /** What the client was sent, as it was written. */
  readonly writes: string[];
}

/** A client that has sent this number of requests, which all wait for their answers. */
async function startWith(requests: number): Promise<Stage> {
  const writes: string[] = [];
  const readable = new PassThrough();
  const writable = new Writable({
    write(chunk: Buffer, _, done) {
      writes.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => (chunk as Buffer).toString()).join(""));
      done();
    },
  });
  const { mcp } = open(readable, writable);
  const received: JSONRPCMessage[] = [];
  Object.assign(mcp, { onmessage: (message: JSONRPCMessage) => received.push(message) });
  await mcp.start();
  for (let id = 1; id <= requests; id++) readable.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(requests);
  return { mcp, writes };
}

// As between the callbacks of two connections that are readable in the same turn: all that follows from the first one happens.
async function untilSettled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise<void>((resolve) => process.nextTick(resolve));
}

const answer = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: {} });
const idsIn = (writes: readonly string[]): unknown[] =>
  writes
    .join("")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: unknown }).id);

describe("answers", () => {
  it("that come in one turn of the event loop leave in two writes at most, in the order in which they came", async () => {
    const { mcp, writes } = await startWith(8);
    const sent: Promise<void>[] = [];
    for (let id = 1; id <= 8; id++) {
      sent.push(mcp.send(answer(id)));
      await untilSettled();
    }
    await Promise.all(sent);
    await nextTurn();
    expect(idsIn(writes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(writes.length).toBeLessThanOrEqual(2);
  });

  it("an answer that no other request waits beside does not wait for the turn's end", async () => {
    const { mcp, writes } = await startWith(1);
    let isTurnOver = false;
    setImmediate(() => (isTurnOver = true));
    await mcp.send(answer(1));
    expect([isTurnOver, idsIn(writes)]).toEqual([false, [1]]);
  });
});

describe("a subscription", () => {
  it("isn't waited for: a client that closes its end is done at once", async () => {
    const readable = new PassThrough();
    const { mcp, requests } = open(readable, new PassThrough());
    const received = new Promise<JSONRPCMessage>((resolve) => void Object.assign(mcp, { onmessage: resolve }));
    await mcp.start();
    readable.end('{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}\n');
    expect(await received).toMatchObject({ id: 1, method: "subscriptions/listen" });
    await requests.finished;
  });
});
