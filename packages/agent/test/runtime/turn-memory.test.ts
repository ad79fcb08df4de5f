// What running turns hold together: who may begin, who waits, and that nobody waits for ever.

import { agentLimits } from "../../src/limits.ts";
import { expect, it } from "vitest";
import { createTurnMemory, type TurnShare } from "../../src/runtime/turn-memory.ts";

const never = new AbortController().signal;
/** For those who are not to come in by waiting long enough, however slow the machine is. */
const longMs = 600_000;
/** What a turn holds is there three times while a model is asked. */
const heavy = (bytes: number): number => (bytes + agentLimits.agentLightBytes) / 3;
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Whether it has come about, once everything that could has. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), soon().then(() => false)]);
}

async function enterWith(room: ReturnType<typeof createTurnMemory>, bytes: number): Promise<TurnShare> {
  const place = await room.enter(never);
  place.count(bytes);
  return place;
}

it("G10: a turn begins only after the one before it has said what it holds, and while there is room", async () => {
  const room = createTurnMemory(1_000, longMs);
  const first = await room.enter(never);
  const second = room.enter(never);
  expect(await isDone(second)).toBe(false);
  first.count(heavy(2_000));
  expect(await isDone(second)).toBe(false);
  first.leave();
  expect(await isDone(second)).toBe(true);
});

it("G10: when all of the room is taken one turn at a time goes on, and the next one when it has left", async () => {
  const room = createTurnMemory(1_000, longMs);
  const places = [await enterWith(room, heavy(400)), await enterWith(room, heavy(400))];
  const [one, other] = places as [TurnShare, TurnShare];
  await one.grow(heavy(800));
  const waiting = other.grow(heavy(400));
  expect(await isDone(waiting)).toBe(false);
  expect(await isDone(one.grow(heavy(800)))).toBe(true);
  one.leave();
  expect(await isDone(waiting)).toBe(true);
});

it("G10: a turn that holds little never waits for the others", async () => {
  const room = createTurnMemory(1_000, longMs);
  const light = await enterWith(room, heavy(0));
  const large = await enterWith(room, heavy(5_000));
  await large.grow(heavy(5_000));
  expect(await isDone(light.grow(heavy(0)))).toBe(true);
});

it("G1: who is cancelled while it waits ends at once, and keeps nobody back", async () => {
  const room = createTurnMemory(1_000, longMs);
  const first = await enterWith(room, heavy(2_000));
  const cancelled = new AbortController();
  const second = room.enter(cancelled.signal);
  const third = room.enter(never);
  cancelled.abort(new Error("cancelled"));
  await expect(second).rejects.toThrow("cancelled");
  expect(await isDone(third)).toBe(false);
  first.leave();
  expect(await isDone(third)).toBe(true);
});

it("G4: a turn whose disk hangs keeps the next one waiting for a bounded time only", async () => {
  const room = createTurnMemory(1_000, 50);
  const hanging = await room.enter(never);
  await expect(room.enter(never)).resolves.toBeDefined();
  hanging.leave();
});
