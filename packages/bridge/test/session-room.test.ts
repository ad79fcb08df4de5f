// What the connections of one session hold together is bounded, and a refused call learns why.

import { describe, expect } from "vitest";
import { HawserError } from "@hawser/protocol";
import { bridgeLimits } from "../src/limits.ts";
import { wireLimits } from "@hawser/wire";
import { createSessionRoom } from "../src/parent/session-room.ts";
import { anyTool, echoTool, it, turn } from "./fixtures/parent-it.ts";
import { until } from "../../../test/kit/until.ts";

describe("a session whose clients do not read", () => {
  it("G10: begins no more calls once too much is unsent, says so, and goes on when they are gone", async ({ start, connect }) => {
    let begun = 0;
    const big = anyTool("big", () => (begun++, "x".repeat(9_000_000)));
    const session = await start([big, echoTool]);
    const stalled = await Promise.all(Array.from({ length: 4 }, () => connect(session)));
    for (const client of stalled) {
      client.socket.pause();
      client.call("big");
    }
    await until(() => begun === stalled.length);
    await turn(200);
    const client = await connect(session);
    const refused = await client.ask("echo", { n: 1 });
    expect(refused.error).toEqual({
      message: expect.stringContaining("too much waits for clients that do not read") as string,
      type: "IPCError",
    });
    for (const { socket } of stalled) socket.destroy();
    await turn(100);
    expect((await client.ask("echo", { n: 2 })).result?.structuredContent).toEqual({ n: 2 });
  });
});

describe("room", () => {
  const never = new AbortController().signal;

  it("G10: is there at once, is waited for, and is given back", async () => {
    const room = createSessionRoom();
    const first = await room.acquire(wireLimits.maxHeldBytes + 1, never);
    let hasBegun = false;
    const second = room.acquire(1, never).then((place) => ((hasBegun = true), place));
    await turn();
    expect(hasBegun).toBe(false);
    first.release();
    (await second).release();
    await room.whenSendable();
    expect(room.budget.isFull).toBe(false);
  });

  it("G10: is refused after a while, and at once to more answers than one bridge has at a time", async () => {
    const room = createSessionRoom(50);
    await room.acquire(wireLimits.maxHeldBytes + 1, never);
    await expect(room.acquire(1, never)).rejects.toMatchObject({ code: "overloaded" });
    const waiting = Array.from({ length: bridgeLimits.bridgeConnections }, async () => room.whenSendable());
    const settled = Promise.allSettled(waiting);
    let isRefused = false;
    room.whenSendable()?.catch(() => (isRefused = true));
    await Promise.resolve();
    await Promise.resolve();
    expect(isRefused).toBe(true);
    expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
  });

  it("H4: a call that is cancelled while it waits leaves", async () => {
    const room = createSessionRoom();
    await room.acquire(wireLimits.maxHeldBytes + 1, never);
    const cancel = new AbortController();
    const waiting = room.acquire(1, cancel.signal);
    cancel.abort(new HawserError("cancelled", "no longer wanted"));
    await expect(waiting).rejects.toThrow("no longer wanted");
  });
});
