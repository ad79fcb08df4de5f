// A cluster of three servers that loses one after the other: what goes on, and what ends.

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
