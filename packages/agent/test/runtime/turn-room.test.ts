// What running turns hold together: who may begin, who waits, and that nobody waits for ever.

import { limits } from "@hawser/wire";
import { expect, it } from "vitest";
import { createTurnRoom, type TurnPlace } from "../../src/runtime/turn-room.ts";

const never = new AbortController().signal;
/** For those who are not to come in by waiting long enough, however slow the machine is. */
const longMs = 600_000;
const heavy = (bytes: number): number => bytes + limits.agentLightBytes;
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Whether it has come about, once everything that could has. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), soon().then(() => false)]);
}

async function enterWith(room: ReturnType<typeof createTurnRoom>, bytes: number): Promise<TurnPlace> {
  const place = await room.enter(never);
  place.hold(bytes);
  return place;
}

it("G10: a turn begins only after the one before it has said what it holds, and while there is room", async () => {
  const room = createTurnRoom(1_000, longMs);
  const first = await room.enter(never);
  const second = room.enter(never);
  expect(await isDone(second)).toBe(false);
  first.hold(heavy(2_000));
  expect(await isDone(second)).toBe(false);
  first.leave();
  expect(await isDone(second)).toBe(true);
});

it("G10: when all of the room is taken one turn at a time goes on, and the next one when it has left", async () => {
  const room = createTurnRoom(1_000, longMs);
  const places = [await enterWith(room, heavy(400)), await enterWith(room, heavy(400))];
  const [one, other] = places as [TurnPlace, TurnPlace];
  one.hold(heavy(800));
  await one.whenMayGrow(never);
  const waiting = other.whenMayGrow(never);
  expect(await isDone(waiting)).toBe(false);
  expect(await isDone(one.whenMayGrow(never))).toBe(true);
  one.leave();
  expect(await isDone(waiting)).toBe(true);
});

it("G10: a turn that holds little never waits for the others", async () => {
  const room = createTurnRoom(1_000, longMs);
  const light = await enterWith(room, limits.agentLightBytes);
  const large = await enterWith(room, heavy(5_000));
  await large.whenMayGrow(never);
  expect(await isDone(light.whenMayGrow(never))).toBe(true);
});

it("G1: who is cancelled while it waits ends at once, and keeps nobody back", async () => {
  const room = createTurnRoom(1_000, longMs);
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
  const room = createTurnRoom(1_000, 50);
  const hanging = await room.enter(never);
  await expect(room.enter(never)).resolves.toBeDefined();
  hanging.leave();
});
