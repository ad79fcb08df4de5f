// The events of a conversation as one host has them, with a real server: what was missed and what comes meanwhile, each once and in order,
// and no more of it in memory than the host may hold.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createByteBudget, createSemaphore } from "@hawser/wire/internal";
import type { Fleet } from "../src/connect.ts";
import { eventStream, header, toEventSubject } from "../src/conversations/conversation-names.ts";
import { followEvents, type ReadEvent } from "../src/conversations/follow-events.ts";
import { openStreams, type Streams } from "../src/conversations/open-streams.ts";
import { toPartHeaders } from "../src/conversations/parts.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";

describe("the events that a host follows", () => {
  let fleet: Fleet;
  let streams: Streams;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram === "") return;
    fleet = await openFleet(await openServer());
    streams = await openStreams(fleet);
  });

  const piece = "x".repeat(10_000);
  function say(conversation: string, from: number, to: number): void {
    for (let seq = from; seq <= to; seq++)
      fleet.connection.publish(toEventSubject(conversation), JSON.stringify({ id: "turn", type: "token", token: piece, seq }), {
        headers: toPartHeaders({ [header.epoch]: "1" }, 0, 1),
      });
  }

  function follow(
    conversation: string,
    room: { whenRoom(): Promise<void> },
    maxHeld: number,
    { held, inTurn } = { held: createByteBudget(maxHeld), inTurn: createSemaphore(1) },
  ) {
    const seen: number[] = [];
    let mostHeld = 0;
    const note = ({ value }: ReadEvent): void => {
      mostHeld = Math.max(mostHeld, held.heldBytes);
      seen.push(Number(value["seq"]));
    };
    const followed = followEvents(fleet, streams, conversation, {
      held,
      inTurn,
      onEvent: note,
      whenRoom: room.whenRoom,
    });
    return { followed, held, seen, note, mostHeld: () => mostHeld };
  }
  const numbers = (to: number): number[] => Array.from({ length: to }, (_, at) => at + 1);

  it("are all told once and in order to a host that reads slowly while a flood comes, which it does not keep", async () => {
    say("flood", 1, 20);
    await fleet.connection.flush();
    const reader = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let reads = 0;
    const whenRoom = (): Promise<void> => ((reads += 1), begun.resolve(), reader.promise);
    const limit = 50_000;
    const { followed, held, seen, mostHeld } = follow("flood", { whenRoom }, limit);
    const caughtUp = followed.catchUp();
    await begun.promise;
    // The program of this host does not read: what comes now is more than it may hold.
    say("flood", 21, 400);
    await fleet.connection.flush();
    expect([seen, held.heldBytes <= limit]).toEqual([[1], true]);
    reader.resolve();
    await caughtUp;
    expect(seen).toEqual(numbers(400));
    // What it could not hold came from the stream once more.
    expect(reads).toBeGreaterThan(380);
    say("flood", 401, 402);
    await expect.poll(() => seen.length).toBe(402);
    expect([seen, held.heldBytes]).toEqual([numbers(402), 0]);
    expect(mostHeld()).toBeLessThanOrEqual(limit);
    followed.close();
  });

  it("come in one conversation as well while another one, which waits with all that may be held, never stands still", async () => {
    const shared = { held: createByteBudget(50_000), inTurn: createSemaphore(1) };
    say("talking", 1, 3);
    say("waiting", 1, 3);
    await fleet.connection.flush();
    let said = 3;
    let isCaughtUp = false;
    async function whenRoom(): Promise<void> {
      // Something new for each event that was read: it comes live, and there is no room for it.
      if (said < 100 && !isCaughtUp) say("talking", ++said, said);
      await fleet.connection.flush();
    }
    const waiting = follow("waiting", { whenRoom: async () => {} }, 0, shared);
    const talking = follow("talking", { whenRoom }, 0, shared);
    const talked = talking.followed.catchUp();
    const waited = waiting.followed.catchUp().then(() => (isCaughtUp = true));
    say("waiting", 4, 20);
    await fleet.connection.flush();
    await waited;
    expect(waiting.seen).toEqual(numbers(20));
    expect(said).toBeLessThan(100);
    await talked;
    expect(talking.seen).toEqual(numbers(said));
    expect(shared.held.heldBytes).toBe(0);
    for (const { followed } of [waiting, talking]) followed.close();
  });

  it("are read on from where they were read last, and all of them where the servers were started again meanwhile", async () => {
    say("restarted", 1, 5);
    await fleet.connection.flush();
    let read = 0;
    async function whenRoom(): Promise<void> {
      if (++read !== 5) return;
      await streams.manager.streams.delete(eventStream);
      await openStreams(fleet);
      say("restarted", 6, 15);
      await fleet.connection.flush();
    }
    const { followed, seen } = follow("restarted", { whenRoom }, 0);
    await followed.catchUp();
    expect(seen).toEqual(numbers(15));
    say("restarted", 16, 16);
    await expect.poll(() => seen.length).toBe(16);
    await followed.catchUp();
    // Five, ten of the new stream, and the one that had come live.
    expect(read).toBe(16);
    followed.close();
  });

  it("are repeated to one who comes late, what is read waiting for its reader, and go on from there", async () => {
    say("late", 1, 300);
    await fleet.connection.flush();
    const { followed, held, seen, note } = follow("late", { whenRoom: () => Promise.resolve() }, 50_000);
    const repeating = followed.repeat(100, note);
    say("late", 301, 320);
    expect(await repeating).toBe("turn");
    await expect.poll(() => seen.length).toBe(220);
    expect([seen, held.heldBytes]).toEqual([numbers(320).slice(100), 0]);
    followed.close();
  });

  it("are all told where the stream has them later than the host: what was left out, and what came before what is held", async () => {
    const { followed, held, seen } = follow("lagging", { whenRoom: () => Promise.resolve() }, 50_000);
    await fleet.connection.flush();
    // A stream without this subject has nothing of it yet, as one that is slow.
    const subjects = [...(await streams.manager.streams.info(eventStream)).config.subjects];
    await streams.manager.streams.update(eventStream, { subjects: ["elsewhere.>"] });
    const caughtUp = followed.catchUp();
    say("lagging", 5, 20);
    await fleet.connection.flush();
    await streams.manager.streams.update(eventStream, { subjects });
    say("lagging", 1, 20);
    await fleet.connection.flush();
    await caughtUp;
    expect([seen, held.heldBytes]).toEqual([numbers(20), 0]);
    followed.close();
  });
});
