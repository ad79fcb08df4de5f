// The queue between a medium and its reader: order, the two signals, one reader, and memory.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import type { Mailbox } from "../../src/flow/mailbox.ts";
import { wireLimits } from "../../src/limits.ts";
import { createIncomingMailbox, type Incoming, type Received } from "../../src/transport/transport.ts";
import { wait } from "../pipes.ts";

const message = (position: number, text = "{}"): Received => ({ kind: "message", value: position, text, position });
const messages = (count: number): Received[] => Array.from({ length: count }, (_, index) => message(index + 1));

async function positionsOf(inbox: Mailbox<Incoming>): Promise<number[]> {
  const positions: number[] = [];
  for await (const { position } of inbox.items) positions.push(position);
  return positions;
}

it("delivers everything once, in order, whether it came before or while the reader waits", async () => {
  const inbox = createIncomingMailbox();
  inbox.put(messages(3));
  const reading = positionsOf(inbox);
  await Promise.resolve();
  inbox.put([message(4)]);
  inbox.put([]);
  await new Promise(setImmediate);
  inbox.put([message(5), message(6)]);
  inbox.end();
  expect(await reading).toEqual([1, 2, 3, 4, 5, 6]);
});

it("delivers what is queued after the end, and takes nothing more", async () => {
  const inbox = createIncomingMailbox();
  inbox.put(messages(2));
  inbox.end();
  inbox.put([message(3)]);
  inbox.end();
  expect(await positionsOf(inbox)).toEqual([1, 2]);
  expect(await positionsOf(inbox)).toEqual([]);
});

it("refuses a second reader while the first one waits", async () => {
  const iterator = createIncomingMailbox().items[Symbol.asyncIterator]();
  void iterator.next();
  await expect(iterator.next()).rejects.toMatchObject({ code: "usage" });
});

it("gives what is unread and then what comes in the same moment, keeps the rest while the receiver waits, and ends with the error", async () => {
  let caughtUp = 0;
  const inbox = createIncomingMailbox(() => caughtUp++);
  inbox.put(messages(300));
  const seen: number[] = [];
  const hold = Promise.withResolvers<void>();
  const received = inbox.items.receiveEach(({ position }) => {
    seen.push(position);
    return position === 302 ? hold.promise : undefined;
  });
  expect([seen.length, caughtUp, inbox.isFull, inbox.unreadWeight]).toEqual([300, 1, false, 0]);
  expect([inbox.put([message(301), message(302), message(303)]), inbox.put([message(304)]), inbox.unread]).toEqual([2, 0, 2]);
  expect(inbox.unreadWeight).toBeGreaterThan(0);
  hold.resolve();
  await wait(1);
  expect(seen.slice(300)).toEqual([301, 302, 303, 304]);
  expect(inbox.unreadWeight).toBe(0);
  inbox.fail(new HawserError("connection_lost", "gone"));
  await expect(received).rejects.toMatchObject({ code: "connection_lost" });
});

it("a receiver that throws gets no more", async () => {
  const inbox = createIncomingMailbox();
  const received = inbox.items.receiveEach(() => {
    throw new HawserError("usage", "no more");
  });
  expect([inbox.put(messages(1)), inbox.put(messages(1))]).toEqual([1, 0]);
  await expect(received).rejects.toMatchObject({ message: "no more" });
});

it("keeps the order when a receiver brings about what comes next, and has to wait itself", async () => {
  const inbox = createIncomingMailbox();
  const seen: number[] = [];
  const hold = Promise.withResolvers<void>();
  void inbox.items.receiveEach(({ position }) => {
    seen.push(position);
    if (position === 1) inbox.put([message(4), message(5)]);
    return position === 2 ? hold.promise : undefined;
  });
  inbox.put([message(1), message(2), message(3)]);
  expect([seen, inbox.unread]).toEqual([[1, 2], 3]);
  hold.resolve();
  await wait(1);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});

describe("falling behind", () => {
  it("is full at one message more than the limit, and says when the reader has caught up", async () => {
    let caughtUp = 0;
    const inbox = createIncomingMailbox(() => caughtUp++);
    expect(wireLimits.maxUnreadMessages).toBe(256);
    inbox.put(messages(256));
    expect(inbox.isFull).toBe(false);
    inbox.put([message(257)]);
    expect(inbox.isFull).toBe(true);
    const iterator = inbox.items[Symbol.asyncIterator]();
    for (let read = 0; read < 256; read++) await iterator.next();
    expect(caughtUp).toBe(0);
    await iterator.next();
    expect([caughtUp, inbox.isFull]).toEqual([1, false]);
  });

  it("G10 is full when the unread text is longer than the largest message, however few there are", async () => {
    const inbox = createIncomingMailbox();
    const text = "x".repeat(6_000_000);
    inbox.put([message(1, text)]);
    expect(inbox.isFull).toBe(false);
    inbox.put([message(2, text)]);
    expect(inbox.isFull).toBe(true);
    await inbox.items[Symbol.asyncIterator]().next();
    expect(inbox.isFull).toBe(false);
  });

  it("G10 is full when few unread messages hold many objects, which take far more than their text", async () => {
    const inbox = createIncomingMailbox();
    const text = `[${"{},".repeat(100_000)}1]`;
    inbox.put([message(1, text)]);
    expect(inbox.isFull).toBe(false);
    inbox.put([message(2, text)]);
    expect(inbox.isFull).toBe(true);
    await inbox.items[Symbol.asyncIterator]().next();
    expect(inbox.isFull).toBe(false);
  });

  it("drops everything and reports to have caught up when the reader leaves", async () => {
    let caughtUp = 0;
    const inbox = createIncomingMailbox(() => caughtUp++);
    inbox.put(messages(1_000));
    for await (const { position } of inbox.items) if (position === 2) break;
    expect([caughtUp, inbox.isFull]).toEqual([1, false]);
    inbox.put(messages(1));
    expect(await positionsOf(inbox)).toEqual([]);
  });
});

describe("G10 a reader that is always one message behind", () => {
  async function readBehind(inbox: Mailbox<Incoming>, count: number, make: (position: number) => Received): Promise<void> {
    const iterator = inbox.items[Symbol.asyncIterator]();
    for (let position = 1; position <= count; position++) {
      inbox.put([make(position)]);
      const { value } = await iterator.next();
      expect((value as Received).position).toBe(position - 1);
    }
  }

  it("holds no message that it has read", async () => {
    const inbox = createIncomingMailbox();
    inbox.put([message(0)]);
    const read: WeakRef<object>[] = [];
    await readBehind(inbox, 100, (position) => {
      const value = { position };
      read.push(new WeakRef(value));
      return { kind: "message", value, text: "{}", position };
    });
    await wait(5);
    collectGarbage();
    // The last one is unread; the one before it may still be in a register.
    expect(read.filter((reference) => reference.deref() !== undefined).length).toBeLessThanOrEqual(2);
  });

  it("costs no place for what it has read", async () => {
    const inbox = createIncomingMailbox();
    const same = message(0);
    inbox.put([same]);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const iterator = inbox.items[Symbol.asyncIterator]();
    for (let count = 0; count < 1_000_000; count++) {
      inbox.put([same]);
      await iterator.next();
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
    expect(inbox.isFull).toBe(false); // and so it is still there when it is measured
  });
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
