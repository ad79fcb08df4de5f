// The servers of a cluster of three are replaced one after the other, as the page for operators says, each in the middle of a turn: no turn
// is lost, no tool runs twice.

import { spawnSync } from "node:child_process";
import { beforeEach, expect, it } from "vitest";
import { openCluster, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { endsOf, openRig, say, textOf, weld } from "./fleet-rig.ts";

beforeEach(skipWithoutServer);

it("no turn is lost while each server of three is sent away by `--signal ldm`, and started again, in the middle of one", async () => {
  const cluster = await openCluster({ more: 'lame_duck_duration: "30s"\nlame_duck_grace_period: "1s"' });
  const rig = await openRig(cluster.address);

  /** No copy of the journal is behind. */
  async function isWhole(): Promise<boolean> {
    const reply = await rig.connection.request("$JS.API.STREAM.INFO.HAWSER_JOURNAL", "", { timeout: 5_000 }).catch(() => undefined);
    const info = reply?.json<{ cluster?: { leader?: string; replicas?: { current: boolean }[] } }>();
    const replicas = info?.cluster?.replicas ?? [];
    return Boolean(info?.cluster?.leader) && replicas.length === 2 && replicas.every(({ current }) => current);
  }

  try {
    await rig.runtime();
    const host = await rig.host();
    for (const [index, name] of ["first", "second", "third"].entries()) {
      host.send(say(name, `${weld(`${name}-a`, true)} and then ${weld(`${name}-b`)}`, "harbour"));
      await rig.held(`${name}-a`);
      const server = cluster.servers[index];
      expect(spawnSync(serverProgram, ["--signal", `ldm=${server?.pid}`]).status).toBe(0);
      await server?.exited;
      rig.letGo(`${name}-a`);
      expect(await host.end(name)).toMatchObject({ type: "done" });
      expect(textOf(host, name)).toContain(`seam ${name}-b is welded`);
      await cluster.restart(index);
      await until(isWhole, 60_000);
    }
    expect(rig.runs().map((run) => run.split(" ")[0])).toEqual(["first", "second", "third"].flatMap((name) => [`${name}-a`, `${name}-b`]));
    host.send({ id: "load", kind: "load_conversation", conversationId: "harbour" });
    expect(await host.end("load")).toMatchObject({ type: "done" });
    const loaded = JSON.stringify(host.lines.filter(({ id, type }) => id === "load" && type === "conversation"));
    for (const name of ["first", "second", "third"]) {
      expect(loaded).toContain(`seam ${name}-b is welded`);
      expect(endsOf(host, name)).toHaveLength(1);
    }
    await host.close();
  } finally {
    await rig.close();
  }
});
