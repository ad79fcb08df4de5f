// The one way out: order within a lane, turns between lanes, what is urgent, weight, failures, pauses.

import { HawserError } from "@hawser/protocol";
import { expect, it } from "vitest";
import { createOutbox, taken, type OutboxOptions } from "../../src/flow/outbox.ts";

interface Letter {
  readonly lane: string;
  readonly text: string;
}

/** An outbox whose peer takes one letter whenever it is told to. */
function stage(options: Partial<OutboxOptions<Letter>> = {}) {
  const sent: string[] = [];
  let take: (() => void) | undefined;
  const outbox = createOutbox<Letter>({
    maxUnsent: 2,
    laneOf: ({ lane }) => lane,
    send: ({ text }) =>
      new Promise((resolve) => {
        take = () => {
          sent.push(text);
          resolve();
        };
      }),
    ...options,
  });
  async function takeAll(count: number): Promise<string> {
    for (let letter = 0; letter < count; letter++) {
      take?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return sent.join(" ");
  }
  return { outbox, takeAll };
}

const letters = (lane: string, ...texts: string[]): Letter[] => texts.map((text) => ({ lane, text }));

it("items of a lane keep their order, and lanes take turns", async () => {
  const { outbox, takeAll } = stage();
  for (const letter of [...letters("a", "a1", "a2", "a3"), ...letters("b", "b1", "b2")]) outbox.put(letter);
  expect(await takeAll(5)).toBe("a1 a2 b1 a3 b2");
});

it("what is urgent goes before other lanes, and the others still get their turn", async () => {
  const { outbox, takeAll } = stage({ isUrgent: ({ text }) => text.startsWith("!") });
  for (const letter of [...letters("a", "a1", "a2"), ...letters("b", "b1"), ...letters("c", "!c")]) outbox.put(letter);
  expect(await takeAll(4)).toBe("a1 !c a2 b1");
  const urgent = Array.from({ length: 40 }, (_, index) => ({ lane: `u${index}`, text: `!${index}` }));
  for (const letter of [...letters("x", "x1"), ...letters("y", "y1"), ...urgent]) outbox.put(letter);
  const words = (await takeAll(42)).split(" ").slice(4);
  expect(words.indexOf("y1")).toBe(17);
});

it("G10 counts what waits, and says when there is room", async () => {
  const { outbox, takeAll } = stage({ weigh: ({ text }) => text.length, maxUnsent: 4 });
  for (const letter of letters("a", "123", "45", "6")) outbox.put(letter);
  expect([outbox.unsent, outbox.isFull]).toEqual([6, true]);
  let hasRoom = false;
  void outbox.whenRoom().then(() => (hasRoom = true));
  await takeAll(1);
  expect([outbox.unsent, outbox.isFull, hasRoom]).toEqual([3, false, true]);
  const sent = outbox.whenSent();
  await takeAll(2);
  await expect(sent).resolves.toBeUndefined();
});

it("G1 one that can't be sent is told so, and those behind it go on", async () => {
  const sent: string[] = [];
  const outbox = createOutbox<string>({
    maxUnsent: 1,
    send: (text) => (text === "bad" ? Promise.reject(new HawserError("too_large", "too large")) : Promise.resolve(void sent.push(text))),
  });
  const outcomes = ["first", "bad", "last"].map((text) =>
    outbox.send(text).then(
      () => "sent",
      (error: unknown) => (error as HawserError).code,
    ),
  );
  expect(await Promise.all(outcomes)).toEqual(["sent", "too_large", "sent"]);
  expect(sent).toEqual(["first", "last"]);
});

it("pauses where it is told to, before a burst and within it", async () => {
  const pauses: number[] = [];
  const outbox = createOutbox<number>({
    maxUnsent: 100,
    send: () => Promise.resolve(),
    pause(count) {
      pauses.push(count);
      return count === 0 || count === 3 ? Promise.resolve() : undefined;
    },
  });
  for (let item = 0; item < 4; item++) outbox.put(item);
  await outbox.whenSent();
  expect(pauses).toEqual([0, 1, 2, 3, 1]);
});

it("what is taken at once is told so at once, and leaves before what is put later", async () => {
  const sent: number[] = [];
  const outbox = createOutbox<number>({
    maxUnsent: 100,
    send: (item) => (sent.push(item) === 2 ? Promise.resolve() : taken),
  });
  expect(outbox.send(1)).toBe(taken);
  const second = outbox.send(2);
  expect(second).not.toBe(taken);
  const third = outbox.send(3);
  expect([sent, outbox.unsent]).toEqual([[1, 2], 2]);
  await Promise.all([second, third]);
  expect([sent, outbox.unsent]).toEqual([[1, 2, 3], 0]);
});
