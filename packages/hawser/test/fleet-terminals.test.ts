// The three terminals of docs/fleet/conversations.md, as programs: a tool on one machine, agents on others, and somebody who talks to
// them. The machine with the agent is killed in the middle of a turn, and the conversation goes on.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { openRig, weld } from "./fleet-rig.ts";
import { runHawser, start } from "./run-hawser.ts";

beforeEach(skipWithoutServer);

it("a conversation whose agent is killed in the middle of a turn goes on with another agent, and the tool has run once", async () => {
  const { address } = await openServer();
  const rig = await openRig(address);
  const machine = start(["expose", join(rig.folder, "weld.mjs"), "--fleet", address, "--name", "plant"]);
  try {
    const settings = { mcpServers: { plant: { fleet: address } }, permissions: [{ tool: "plant__*", decision: "allow" }] };
    writeFileSync(join(rig.folder, "agent.json"), JSON.stringify(settings));
    const say = (message: string) => runHawser(["chat", "--fleet", address, "--conversation", "harbour", message]);
    const first = await rig.runtime();
    const turn = say(weld("keel", true).replace("weld", "plant__weld"));
    expect(await rig.held("keel")).toBe(machine.process.pid);
    await rig.runtime();
    first.process.kill("SIGKILL");
    expect(await turn).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("what was said and done until then is in the conversation"),
    });
    rig.letGo("keel");
    expect(await say("2+2")).toMatchObject({ code: 0, stdout: expect.stringContaining("4") });
    expect((await say(weld("mast").replace("weld", "plant__weld"))).stdout).toContain("seam mast is welded");
    expect(rig.runs().map((run) => run.split(" ")[0])).toEqual(["keel", "mast"]);
    expect((await runHawser(["chat", "--fleet", address, "--list"])).stdout).toMatch(/^harbour .* 6 messages/);
  } finally {
    machine.process.kill("SIGKILL");
    await machine.ended;
    await rig.close();
  }
});
