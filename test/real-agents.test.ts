// One turn with each ACP agent that is installed: a function of the running program is called through the bridge. Everything else
// that is done with them is left to `npm run test:agents`.

import { existsSync } from "node:fs";
import { describe, it } from "vitest";
import { openAgentRuntime } from "../clients/test/agent-runtime.ts";
import { realAgents } from "../clients/test/real-agents.ts";
import { textOf } from "../packages/acp/test/runtime-stage.ts";

const there = realAgents.filter(({ program }) => existsSync(program));
const missing = realAgents.filter(({ program }) => !existsSync(program)).map(({ name }) => name);

describe.concurrent("ACP agents of others", () => {
  it.for(there)("acp/$name calls a function of the running program", async (agent, { expect }) => {
    const stage = await openAgentRuntime(agent);
    const said = await stage.say("count the boats");
    expect(said.at(-1)).toMatchObject({ type: "done" });
    // Only that program has this number.
    expect(textOf(said)).toMatch(new RegExp(`the tool said .*${stage.runtime.child.pid}`));
    await stage.close();
  });

  it("do more than that in tests of their own", ({ expect, skip }) => {
    expect(there.length + missing.length).toBe(realAgents.length);
    if (there.length === 0) skip("no agent is installed: npm run test:agents does that, about 1.9 GB, and runs everything");
    const rest = "permissions, cancel, kill and resume, restart, page, conform and clients of hawser acp take longer: npm run test:agents";
    skip(missing.length === 0 ? rest : `${rest}; not installed: ${missing.join(", ")}`);
  });
});
