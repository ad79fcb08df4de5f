// What many connections hold together: the accounts, who may go on when nothing is left, and real sockets.

import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createByteBudget, type ByteBudget } from "../../src/flow/byte-budget.ts";
import { lengthPrefix } from "../../src/codec/length-prefix.ts";
import { createStreamTransport } from "../../src/transport/stream-transport.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { lengthHeader, rawFrame } from "../framing.ts";
import { bothWays, unixPair } from "../pipes.ts";
import { until } from "../../../../test/kit/until.ts";

describe("shares", () => {
  it("count together, and what one gives back is there for all", async () => {
    const budget = createByteBudget(100);
    const [one, other] = [budget.openShare(), budget.openShare()];
    one.set(60);
    other.set(40);
    expect(budget.isFull).toBe(false);
    await budget.whenRoom();
    other.set(41);
    expect(budget.isFull).toBe(true);
    let hasRoom = false;
    const room = budget.whenRoom().then(() => (hasRoom = true));
    other.set(50);
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    one.set(50);
    await room;
    expect(budget.isFull).toBe(false);
  });

  it("let one holder at a time go on when nothing is left, and the next when that one holds nothing", () => {
    const budget = createByteBudget(100);
    const woken: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => budget.openShare(() => woken.push(name)));
    const mayGrow = (): unknown[] => [a, b, c].map((share) => share?.mayGrow());
    for (const share of [a, b, c]) share?.set(50);
    expect(mayGrow()).toEqual([true, false, false]);
    a?.set(70);
    expect(mayGrow()).toEqual([true, false, false]);
    c?.set(150);
    a?.set(0);
    expect(woken).toEqual(["b"]);
    expect(mayGrow()).toEqual([true, true, false]);
    b?.set(0);
    expect(woken).toEqual(["b", "c"]);
    c?.set(90);
    expect(mayGrow()).toEqual([true, true, true]);
  });

  it("wake everyone who waits when there is room again", () => {
    const budget = createByteBudget(100);
    const woken: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => budget.openShare(() => woken.push(name)));
    for (const share of [a, b, c]) share?.set(50);
    for (const share of [a, b, c]) share?.mayGrow();
    a?.set(0);
    expect(woken).toEqual(["b", "c"]);
  });
});

async function connect(budget: ByteBudget): Promise<{ peer: Socket; mine: Socket; transport: Transport }> {
  const [peer, mine] = await unixPair();
  const transport = createStreamTransport({ ...bothWays(mine), codec: lengthPrefix, tap: undefined, budget });
  onTestFinished(() => transport.close());
  return { peer, mine, transport };
}

describe("transports that share a budget", () => {
  it("G10 refuse a large message while peers leave too much unread, take a small one, and go on when it was read", async () => {
    const budget = createByteBudget(1_000_000);
    const [stuck, other] = [await connect(budget), await connect(budget)];
    stuck.peer.pause();
    other.peer.resume();
    const sent = stuck.transport.send("x".repeat(2_000_000));
    expect(budget.isFull).toBe(true);
    await expect(other.transport.send("x".repeat(100_000))).rejects.toMatchObject({ code: "overloaded", facts: { bytes: 100_006 } });
    await other.transport.send({ error: "too much is waiting" });
    stuck.peer.resume();
    await sent;
    await budget.whenRoom();
    await other.transport.send("x".repeat(100_000));
  });

  it("G10 give back what was unsent when the connection ends", async () => {
    const budget = createByteBudget(1_000_000);
    const stuck = await connect(budget);
    stuck.peer.pause();
    stuck.transport.send("x".repeat(2_000_000)).catch(() => {});
    expect(budget.isFull).toBe(true);
    stuck.peer.destroy();
    await budget.whenRoom();
    expect(budget.isFull).toBe(false);
  });

  it("G10 read unfinished frames one after the other when together they are too much, and lose none", async () => {
    const budget = createByteBudget(1_000_000);
    const lines = await Promise.all(Array.from({ length: 5 }, () => connect(budget)));
    const text = JSON.stringify("x".repeat(800_000));
    const halfBytes = text.length / 2;
    for (const { peer } of lines) peer.write(rawFrame(lengthPrefix, text).subarray(0, halfBytes));
    await until(() => budget.isFull);
    await until(() => lines.some(({ mine }) => mine.isPaused()));
    for (const { peer } of lines) peer.write(rawFrame(lengthPrefix, text).subarray(halfBytes));
    const lengths = await Promise.all(
      lines.map(async ({ transport }) => {
        const { value } = await transport.incoming[Symbol.asyncIterator]().next();
        return ((value as { value: string }).value satisfies string).length;
      }),
    );
    expect(lengths).toEqual(lines.map(() => 800_000));
    expect(budget.isFull).toBe(false);
  });

  it("G10 let the others go on when the one whose turn it is leaves in the middle of its frame", async () => {
    const budget = createByteBudget(100_000);
    const leaving = await connect(budget);
    leaving.peer.write(Buffer.concat([lengthHeader(1_000_000), Buffer.alloc(300_000, "1")]));
    await until(() => budget.isFull);
    const staying = await connect(budget);
    const text = JSON.stringify("x".repeat(400_000));
    staying.peer.write(rawFrame(lengthPrefix, text));
    await until(() => staying.mine.isPaused());
    leaving.peer.destroy();
    const { value } = await staying.transport.incoming[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ kind: "message", text });
  });

  it("G10 parse a frame only when there is room for what it becomes, since many may be a byte away from their end", async () => {
    const budget = createByteBudget(1_000_000);
    const text = `[${"{},".repeat(99_999)}{}]`;
    const frame = rawFrame(lengthPrefix, text);
    const [first, second] = [await connect(budget), await connect(budget)];
    for (const { peer, mine } of [first, second]) {
      peer.write(frame.subarray(0, -1));
      await until(() => mine.bytesRead === frame.length - 1);
    }
    expect(budget.isFull).toBe(false);
    first.peer.write(frame.subarray(-1));
    await until(() => budget.isFull);
    second.peer.write(frame.subarray(-1));
    await until(() => second.mine.isPaused());
    expect(second.mine.readableLength).toBe(1);
    for (const { transport } of [first, second]) {
      const { value } = await transport.incoming[Symbol.asyncIterator]().next();
      expect(value).toMatchObject({ kind: "message", text });
    }
  });
});
