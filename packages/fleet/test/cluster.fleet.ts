// A cluster of three servers that loses one after the other: what goes on, and what ends.

import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import { openCluster, openFleet, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import type { FleetCluster } from "../src/server/start-cluster.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import { watchTools } from "../src/tools/live-tools.ts";
import { offerTools } from "../src/tools/offer-tools.ts";

describe("tools of a fleet with three servers", () => {
  let cluster: FleetCluster;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram !== "") cluster = await openCluster();
  });

  it("are called on while servers are killed and come back, each call ends once, and no function runs twice for one", async () => {
    const [here, there] = [await openFleet(cluster, "here"), await openFleet(cluster, "there")];
    const runs = new Map<number, number>();
    const count = defineTool({
      name: "count",
      description: "Counts.",
      input: { type: "object" },
      run: ({ n }) => (runs.set(Number(n), (runs.get(Number(n)) ?? 0) + 1), `ran ${String(n)}`),
    });
    await offerTools(there, { service: "steady", tools: [count], version: "1.0.0", machine: "quay" });
    const live = await watchTools(here, "steady");
    const { call } = createFleetCalls(here, "steady", live);
    const ends = { done: 0, failed: 0 };
    let next = 0;
    let isOver = false;
    async function keepCalling(): Promise<void> {
      while (!isOver) {
        const n = (next += 1);
        const params = { name: "count", arguments: { n } };
        const outcome = await call({ params, signal: new AbortController().signal, onProgress: () => {}, onLog: () => {} }).then(
          () => "done" as const,
          () => "failed" as const,
        );
        ends[outcome] += 1;
        // A refused call must not make this a loop without a pause.
        if (outcome === "failed") await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const calling = Array.from({ length: 8 }, keepCalling);
    for (const index of [0, 1, 2]) {
      const server = cluster.servers[index]!;
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      const before = ends.done;
      await until(() => ends.done > before + 50);
      await cluster.restart(index);
      await until(async () => (await cluster.findLeader()) !== undefined);
    }
    isOver = true;
    await Promise.all(calling);
    expect(ends.done + ends.failed).toBe(next);
    expect([...runs.values()].filter((times) => times !== 1)).toEqual([]);
    expect(runs.size).toBeGreaterThanOrEqual(ends.done);
  });
});

describe("a stream of a fleet with three servers", () => {
  beforeEach(skipWithoutServer);

  it("has everything that it has acknowledged, once and in order, after its leader was killed again and again", async () => {
    const cluster = await openCluster();
    const fleet = await openFleet(cluster);
    const timeout = 5_000;
    const manager = await jetstreamManager(fleet.connection, { timeout });
    await manager.streams.add({ name: "HAWSER_JOURNAL", subjects: ["hawser.journal.*"], num_replicas: 3 });
    const client = jetstream(fleet.connection, { timeout });
    const last = (): Promise<{ seq: number; text: string } | undefined> =>
      manager.streams
        .getMessage("HAWSER_JOURNAL", { last_by_subj: "hawser.journal.a" })
        .then((message) => (message ? { seq: message.seq, text: message.string() } : { seq: 0, text: "" }))
        .catch(() => undefined);

    /** By compare-and-append: an answer that was lost is settled by reading back from the leader. */
    async function append(text: string, after: number): Promise<number> {
      for (;;) {
        try {
          return (await client.publish("hawser.journal.a", text, { expect: { lastSubjectSequence: after } })).seq;
        } catch {
          const found = await last();
          if (found?.text === text) return found.seq;
          if (found && found.seq !== after) throw new Error(`${found.text} stands where ${text} should`);
        }
      }
    }

    const acknowledged: string[] = [];
    let sequence = 0;
    for (let kills = 0; kills < 3; kills += 1) {
      for (let count = 0; count < 50; count += 1) {
        const text = `record ${acknowledged.length}`;
        sequence = await append(text, sequence);
        acknowledged.push(text);
      }
      const { cluster: raft } = await manager.streams.info("HAWSER_JOURNAL");
      const leader = Number(raft?.leader?.replace("server-", "")) - 1;
      process.kill(cluster.servers[leader]!.pid, "SIGKILL");
      sequence = await append(`record ${acknowledged.length}`, sequence);
      acknowledged.push(`record ${acknowledged.length}`);
      await cluster.restart(leader);
      await until(async () => (await cluster.findLeader()) !== undefined);
    }
    const consumer = await client.consumers.get("HAWSER_JOURNAL", { filter_subjects: "hawser.journal.a" });
    const kept: string[] = [];
    for (let count = 0; count < acknowledged.length; count += 1) kept.push((await consumer.next())?.string() ?? "");
    expect(kept).toEqual(acknowledged);
    expect((await manager.streams.info("HAWSER_JOURNAL")).state.messages).toBe(acknowledged.length);
  });
});
