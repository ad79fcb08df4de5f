// The places of waiting calls: which of them count as read ahead, and when reading may go on.

import { expect, it } from "vitest";
import { createWaitingRoom } from "../../src/rpc/waiting-room.ts";

const create = () => createWaitingRoom({ maxCalls: 2, maxBytes: 100, maxAheadBytes: 50 });

/** Nobody resolves it later: what it is by now it stays. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  const isResolved = promise === undefined ? true : promise.then(() => true);
  return Promise.race([isResolved, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

it("H29 calls beyond the places are read ahead, move up in their order, and each is counted once", () => {
  const room = create();
  const visits = [1, 2, 3, 4].map((bytes) => room.enter(bytes));
  expect(room.waiting).toBe(2);
  expect(room.hasRoomFor(1)).toBe(false);
  visits[0]?.leave();
  visits[1]?.leave();
  expect(room.waiting).toBe(2);
  visits[2]?.leave();
  visits[3]?.leave();
  expect(room.waiting).toBe(0);
  expect(room.hasRoomFor(100)).toBe(true);
});

it("H29 G11 reading stops when as much was read ahead as the bound says, and goes on when a call moves up or is cancelled", async () => {
  const room = create();
  const [first] = [room.enter(1), room.enter(1)];
  const cancelled = room.enter(30);
  expect(room.whenReadOn()).toBeUndefined();
  room.enter(20);
  const full = room.whenReadOn();
  expect(await isSettled(full)).toBe(false);
  cancelled.leave();
  expect(await isSettled(full)).toBe(true);
  room.enter(30);
  const fullAgain = room.whenReadOn();
  expect(await isSettled(fullAgain)).toBe(false);
  first?.leave();
  expect(await isSettled(fullAgain)).toBe(true);
});

it("a call that is larger than all of the room fits when nothing waits, and keeps those behind it waiting", () => {
  const room = create();
  const large = room.enter(1_000);
  expect(room.waiting).toBe(1);
  room.enter(1);
  expect(room.waiting).toBe(1);
  large.leave();
  expect(room.waiting).toBe(1);
});

it("when a call that was too large to move up is cancelled, the one behind it moves up", () => {
  const room = create();
  room.enter(60);
  const large = room.enter(60);
  room.enter(5);
  expect(room.waiting).toBe(1);
  large.leave();
  expect(room.waiting).toBe(2);
});
