// What a tab holds of a message that has not come to its end, without a network.

import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { createByteBudget } from "@hawser/wire/internal";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import { shellLimits } from "../../src/limits.ts";
import { readTabLines } from "../../src/server/tab-lines.ts";

/** A whole frame. */
const pingBytes = 10;

function openTab(room = createByteBudget(1_000)) {
  const events = new EventEmitter();
  const tab = Object.assign(events, { isPaused: false, pause: () => (tab.isPaused = true), resume: () => (tab.isPaused = false) });
  const socket = new PassThrough();
  // As the library does, which listens before us.
  socket.on("data", (chunk: Buffer) => void (chunk.length === pingBytes && events.emit("ping", Buffer.alloc(pingBytes - 6))));
  const lines = readTabLines(tab as unknown as WebSocket, socket, { room, take: async () => {} });
  return {
    tab,
    lines,
    receive: (bytes: number) => socket.emit("data", Buffer.alloc(bytes)),
    ping: () => socket.emit("data", Buffer.alloc(pingBytes)),
  };
}

it("a tab that stops in the middle of a message is stalled, also when it goes on with pings", () => {
  const { lines, receive, ping } = openTab();
  receive(100);
  expect(lines.isStalled()).toBe(false);
  ping();
  expect(lines.isStalled()).toBe(true);
  receive(100);
  expect(lines.isStalled()).toBe(false);
});

it("a tab is not stalled between messages, nor while it is not read", () => {
  const room = createByteBudget(1_000);
  const [first, second] = [openTab(room), openTab(room)];
  first.ping();
  expect([first.lines.isStalled(), first.lines.isStalled(), room.heldBytes]).toEqual([false, false, 0]);
  first.receive(2_000);
  second.receive(100);
  expect([first.tab.isPaused, second.tab.isPaused]).toEqual([false, true]);
  expect([second.lines.isStalled(), second.lines.isStalled()]).toEqual([false, false]);
});

it("a tab that goes on by a byte at a time is stalled while others wait for it, and one that goes on by more is not", () => {
  const room = createByteBudget(1_000);
  const [trickling, waiting] = [openTab(room), openTab(room)];
  trickling.receive(2_000);
  waiting.receive(100);
  const looks = [shellLimits.shellGoOnBytes, 1].map((bytes) => {
    trickling.lines.isStalled();
    trickling.receive(bytes);
    return trickling.lines.isStalled();
  });
  expect(looks).toEqual([false, true]);
  trickling.tab.emit("close");
  // It had no time to go on yet.
  expect([waiting.tab.isPaused, waiting.lines.isStalled()]).toEqual([false, false]);
  waiting.receive(1);
  expect(waiting.lines.isStalled()).toBe(false);
});

it("G10 a tab that has to wait goes on once another one has come to its end, or is gone", () => {
  const room = createByteBudget(1_000);
  const [first, second] = [openTab(room), openTab(room)];
  first.receive(2_000);
  second.receive(2_000);
  expect(second.tab.isPaused).toBe(true);
  first.tab.emit("close");
  expect([second.tab.isPaused, room.heldBytes]).toEqual([false, 2_000]);
});
