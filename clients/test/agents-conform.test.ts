// `hawser conform acp` against each real ACP agent, offline: what it passes is printed, and what it is known to fail is all it fails.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { makeFolder, start } from "../../packages/hawser/test/run-hawser.ts";
import { builtHawser } from "../../test/kit/built-hawser.ts";
import { placeAgent, realAgents, type RealAgent } from "./real-agents.ts";
import { callOf, startEndpoint, told } from "./scripted-endpoint.ts";

interface Report {
  readonly scenarios: readonly { readonly id: string; readonly outcome: string }[];
}

type Known = Readonly<
  Record<RealAgent["name"], { readonly tool: string | RegExp; readonly input: object; readonly fails: readonly string[] }>
>;

const ls = { command: "ls", description: "lists" };
const known: Known = {
  codex: {
    tool: "exec_command",
    input: { cmd: "ls", sandbox_permissions: "require_escalated", justification: "May I look?" },
    fails: [],
  },
  claude: { tool: "Bash", input: ls, fails: [] },
  // It can't load what it has written in the same minute.
  gemini: { tool: "list_directory", input: { dir_path: "." }, fails: ["load"] },
  opencode: { tool: "bash", input: ls, fails: ["cancel", "cancel-twice"] },
  // It repeats any version, can't choose every provider that it lists, and loses a cancel that comes right behind its prompt.
  goose: { tool: /(?:^|__)shell$/, input: { command: "ls" }, fails: ["newer-client", "config-options", "cancel", "cancel-twice"] },
};

const prompts = [
  ["--prompt", "say hello"],
  ["--tool-prompt", "list the files here"],
  ["--permission-prompt", "run the command"],
  ["--slow-prompt", "talk without end"],
].flat();

const table: string[] = [];
afterAll(() => process.stdout.write(`${["agent     passed  failed  skipped  unsupported", ...table].join("\n")}\n`));

describe.for(realAgents)("hawser conform acp -- $name", (agent) => {
  it("fails in nothing but what is known of it", async ({ expect, skip }) => {
    skip(!existsSync(agent.program), "not installed: npm run test:agents does that, opencode and Goose on Linux x64 only");
    const { tool, input, fails } = known[agent.name];
    const endpoint = await startEndpoint(
      { ...agent.scenes, "list the files here": [(question) => callOf(question, tool, input), told] },
      10_000,
    );
    const { command, args, env } = placeAgent(agent, join(makeFolder("conform"), "home"), endpoint.url);
    const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    const words = ["conform", "acp", "--json", "--jobs", "2", ...prompts, ...variables, "--", command, ...args];
    const others = Object.keys(process.env).filter((name) => !["PATH", "TMPDIR", "NODE_COMPILE_CACHE"].includes(name));
    const running = start(words, Object.fromEntries(others.map((name) => [name, undefined])), [builtHawser]);
    running.process.stdin.end();
    const { stdout, stderr } = await running.ended;
    await endpoint.close();
    expect(stdout, stderr).toMatch(/^\{/);
    const { scenarios } = JSON.parse(stdout) as Report;
    const count = (outcome: string): string => String(scenarios.filter((each) => each.outcome === outcome).length);
    table.push(
      `${agent.name.padEnd(10)}${count("passed").padEnd(8)}${count("failed").padEnd(8)}${count("skipped").padEnd(9)}${count("unsupported")}`,
    );
    const failed = scenarios.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
    expect(failed.filter((id) => !fails.includes(id))).toEqual([]);
  }, 1_200_000);
});
