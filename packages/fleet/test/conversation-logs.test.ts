// Conversations in a log that machines share, with a real server: what is written is there for the next machine, and only one may write.

import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumeOptions } from "@nats-io/jetstream";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createLogStore } from "../../agent/src/history/log-store.ts";
import type { ConversationStore } from "../../agent/src/history/conversation-store.ts";
import type { ConversationMessage } from "@hawser/protocol";
import type { Fleet } from "../src/connect.ts";
import { createConversationLogs } from "../src/conversations/conversation-logs.ts";
import { toPartHeaders } from "../src/conversations/parts.ts";
import { header, journalStream, toJournalSubject, toToken } from "../src/conversations/conversation-names.ts";
import { openStreams, type Streams } from "../src/conversations/open-streams.ts";
import { fleetLimits } from "../src/limits.ts";
import type { FleetServer } from "../src/server/start-server.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { makeLeaseBucket } from "./stream-settings.ts";

const leaseMs = 1_500;

const said = (messageId: string, text: string, role: "user" | "assistant" = "user"): ConversationMessage => ({
  messageId,
  role,
  parts: text === "" ? [] : [{ type: "text", text }],
  timestamp: 1,
  requestId: `request-${messageId}`,
});

describe("a conversation in a shared log", () => {
  let server: FleetServer;
  let fleet: Fleet;
  let streams: Streams;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram === "") return;
    server = await openServer({ maxPayload: 65_536 });
    fleet = await openFleet(server);
    await makeLeaseBucket(fleet, leaseMs);
    streams = await openStreams(fleet);
  });

  function machine(name: string) {
    const lost: string[] = [];
    const interrupted: string[] = [];
    const notices: string[] = [];
    const logs = createConversationLogs(fleet, streams, { runtime: name, machine: name, onLost: (id) => lost.push(id) });
    const store: ConversationStore = createLogStore({
      logs,
      onNotice: (notice) => notices.push(notice),
      onInterrupted: (_, { requestId = "" }) => interrupted.push(requestId),
    });
    return { store, logs, lost, interrupted, notices };
  }

  const textsOf = ({ messages }: { messages: readonly ConversationMessage[] }): string[] =>
    messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" "));

  it("is there for the next machine as soon as the first lets it go, and never for two at once", async () => {
    const [one, two] = [machine("one"), machine("two")];
    const first = await one.store.open("harbour ⚓");
    await first.add(said("m1", "hello"));
    await first.rename("Ships");
    await expect(two.store.open("harbour ⚓")).rejects.toMatchObject({ code: "overloaded", facts: { owner: "one" } });
    await first.close();
    const second = await two.store.open("harbour ⚓");
    expect([second.title, textsOf(second)]).toEqual(["Ships", ["hello"]]);
    expect(two.logs.epochOf("harbour ⚓")).toBeGreaterThan(1);
    expect(await two.store.list()).toEqual([expect.objectContaining({ conversationId: "harbour ⚓", title: "Ships", messages: 1 })]);
    expect(await one.store.lengthOf("harbour ⚓")).toBe(1);
    expect((await one.store.search("hello", 5)).matches).toHaveLength(1);
    await second.close();
  });

  it("goes on with the next machine when the lease of the first is over, and the first is refused by the log itself", async () => {
    const [one, two] = [machine("frozen"), machine("next")];
    const first = await one.store.open("fence");
    await first.add(said("m1", "do it"), said("m2", "", "assistant"));
    await first.addParts("m2", [{ type: "tool_use", toolId: "t1", toolName: "weld", input: {} }]);
    await first.beforeCall("t1");
    // As a frozen process: its lease is gone, and it does not know.
    await streams.leases.delete(toToken("fence"));
    const second = await two.store.open("fence");
    expect(two.interrupted).toEqual(["request-m2"]);
    expect(second.messages.at(-1)).toMatchObject({ interrupted: "the process ended before the answer did" });
    await expect(first.beforeCall("t2")).rejects.toMatchObject({ code: "closed", message: expect.stringContaining("another machine") });
    await expect(first.finish("m2")).rejects.toMatchObject({ code: "closed" });
    expect([one.lost, first.isStale]).toEqual([["fence"], true]);
    await second.add(said("m3", "go on"));
    await second.close();
    await first.close();
    const third = await one.store.open("fence");
    expect(textsOf(third)).toEqual(["do it", "tool_use tool_result", "go on"]);
    expect(one.interrupted).toEqual([]);
    await third.close();
  });

  it("is free when its machine was not heard of for the time of a lease", async () => {
    const [one, two] = [machine("dead"), machine("heir")];
    const log = await one.logs.open("heirless");
    for await (const _ of log.read()) expect.unreachable();
    await log.claim('{"format":"hawser-conversation","version":3,"conversationId":"heirless"}\n');
    await expect(two.store.open("heirless")).rejects.toMatchObject({ code: "overloaded" });
    // Its renewals: a machine that is alive keeps it for longer than one lease.
    await sleep(leaseMs * 1.5);
    await expect(two.store.open("heirless")).rejects.toMatchObject({ code: "overloaded" });
    await log.close();
    await (await two.store.open("heirless")).close();
  });

  it("holds texts that are larger than the server carries, whole or not at all", async () => {
    const one = machine("large");
    const conversation = await one.store.open("large");
    const text = "ü".repeat(200_000);
    await conversation.add(said("m1", text));
    await conversation.close();
    // A machine that was killed between two parts.
    const end = await streams.manager.streams.getMessage(journalStream, { last_by_subj: toJournalSubject("large") });
    const headers = toPartHeaders({ [header.record]: "torn", [header.base]: end?.header.get(header.base) ?? "" }, 0, 2);
    await streams.client.publish(toJournalSubject("large"), '{"type":"clear"', { headers });
    const again = await one.store.open("large");
    expect(textsOf(again)).toEqual([text]);
    expect(one.notices).toEqual([]);
    await again.add(said("m2", "still here"));
    await again.clear();
    await again.add(said("m3", "new"));
    await again.close();
    const last = await one.store.open("large");
    expect(textsOf(last)).toEqual(["new"]);
    const { messages } = (await streams.manager.streams.info(journalStream, { subjects_filter: toJournalSubject("large") })).state;
    expect(messages).toBeLessThan(100);
    await last.close();
  });

  it("is forked and deleted; one that was only looked for leaves nothing behind", async () => {
    const one = machine("fork");
    const conversation = await one.store.open("original");
    await conversation.add(said("m1", "begin"), said("m2", "", "assistant"));
    await conversation.addParts("m2", [{ type: "text", text: "begun" }]);
    await conversation.finish("m2");
    await one.store.fork("original", { conversationId: "copy" });
    const copy = await one.store.open("copy");
    expect(textsOf(copy)).toEqual(["begin", "begun"]);
    await copy.close();
    await conversation.close();
    await one.store.delete("copy");
    await (await one.store.open("nothing")).close();
    const ids = (await one.store.list()).map(({ conversationId }) => conversationId);
    expect(ids).toContain("original");
    expect(ids).not.toContain("copy");
    expect(await one.logs.endOf("nothing")).toBeUndefined();
    expect(await one.logs.endOf("copy")).toBeUndefined();
  });

  it("that another machine deletes while it is read or listed ends the reading with an error, not never", async () => {
    const one = machine("reader");
    const { fleetSettleMs } = fleetLimits;
    fleetLimits.fleetSettleMs = 100;
    onTestFinished(() => void (fleetLimits.fleetSettleMs = fleetSettleMs));
    /** As `streams`, but all journals are gone as soon as the server was asked for them. */
    const deleting: Streams = {
      ...streams,
      client: Object.create(streams.client, {
        consumers: {
          value: {
            async get(...args: Parameters<Streams["client"]["consumers"]["get"]>) {
              const consumer = await streams.client.consumers.get(...args);
              const consume = async (options: ConsumeOptions) => {
                await streams.manager.streams.purge(journalStream);
                return consumer.consume(options);
              };
              return { info: () => consumer.info(true), consume };
            },
          },
        },
      }),
    };
    async function countOf(all: AsyncIterable<unknown>): Promise<number> {
      let count = 0;
      for await (const _ of all) count++;
      return count;
    }
    const logs = createConversationLogs(fleet, deleting, { runtime: "reader", machine: "reader", onLost: () => {} });
    for (const read of [() => logs.read("doomed"), () => logs.ends()]) {
      const conversation = await one.store.open("doomed");
      await conversation.add(said("m1", "hello"));
      await conversation.close();
      await expect(countOf(read())).rejects.toMatchObject({ code: "connection_lost" });
    }
    expect(await countOf(one.logs.read("doomed"))).toBe(0);
  });
});
