// A cluster of three servers that loses the leader of the journal's stream in the middle of a turn: the turn has one end, no tool runs twice,
// and everything that was acknowledged is there.

import { beforeEach, expect, it } from "vitest";
import { openCluster, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { findJournalLeader } from "../../fleet/test/stream-settings.ts";
import { endsOf, openRig, say, textOf, weld } from "./fleet-rig.ts";

beforeEach(skipWithoutServer);

it("a turn has one end when the leader of its journal is killed in its middle, and no tool runs twice", async () => {
  const cluster = await openCluster();
  const rig = await openRig(cluster.address);
  try {
    await rig.runtime();
    await rig.runtime();
    const host = await rig.host();
    const acknowledged: string[] = [];
    const turns = ["first", "second", "third"];
    for (const name of turns) {
      host.send(say(name, `${weld(`${name}-a`, true)} and then ${weld(`${name}-b`)}`, "harbour"));
      await rig.held(`${name}-a`);
      const leader = await findJournalLeader(rig.fleet);
      const server = cluster.servers[leader];
      process.kill(server?.pid as number, "SIGKILL");
      await server?.exited;
      rig.letGo(`${name}-a`);
      // Servers that take longer than a lease to agree on a leader cost the turn, never its end.
      const { type, code } = await host.end(name);
      expect(["done", "connection_lost"]).toContain(code ?? type);
      if (type === "done") acknowledged.push(name);
      if (type === "done") expect(textOf(host, name)).toContain(`seam ${name}-b is welded`);
      await cluster.restart(leader);
      await until(async () => (await cluster.findLeader()) !== undefined);
    }
    const runs = rig.runs().map((run) => run.split(" ")[0]);
    expect(runs).toEqual([...new Set(runs)]);
    host.send(say("last", "2+2", "harbour"));
    expect(await host.end("last")).toMatchObject({ type: "done" });
    host.send({ id: "load", kind: "load_conversation", conversationId: "harbour" });
    expect(await host.end("load")).toMatchObject({ type: "done" });
    const loaded = JSON.stringify(host.lines.filter(({ id, type }) => id === "load" && type === "conversation"));
    for (const name of acknowledged) expect(loaded).toContain(`seam ${name}-b is welded`);
    for (const name of turns) expect(endsOf(host, name)).toHaveLength(1);
    await host.close();
  } finally {
    await rig.close();
  }
});
