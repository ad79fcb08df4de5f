// `hawser expose … -- claude` with the real Claude Code and a scripted model on the loopback interface:
// the prompt reaches the model and the model's tool use reaches the function, wherever the prompt stands.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { exposedTools, startExpose } from "./expose-session.ts";
import { startScriptedModel } from "./fixtures/scripted-model.ts";
import { makeFolder } from "./run-hawser.ts";

const folder = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
const claude = join(import.meta.dirname, "..", "..", "..", "node_modules", folder, "claude");
const allowed = "mcp__harbour__count";

const commandLines: readonly [string, readonly string[]][] = [
  ["first", ["-p", "count the boats", "--allowedTools", allowed]],
  ["last", ["-p", `--allowedTools=${allowed}`, "count the boats"]],
  ["behind --", ["-p", "--allowedTools", allowed, "--", "count the boats"]],
];

describe("Claude Code", () => {
  it.for(commandLines)("calls a function of hawser's process; the prompt stands %s", async ([, args], context) => {
    const { expect } = context;
    if (!existsSync(claude)) context.skip(`${folder} is not installed`);
    const model = await startScriptedModel({ name: allowed, input: { by: 4 } });
    const home = makeFolder("home");
    const { running, left } = startExpose([exposedTools, "--name", "harbour", "--", claude, ...args], {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, "claude"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_AUTH_TOKEN: undefined,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // As with a real model, which would have to search. The scripted one does not, so the tools have to be there at once.
      ENABLE_TOOL_SEARCH: "true",
    });
    running.process.stdin.end();
    const { code, stdout, stderr } = await running.ended;
    model.close();
    expect([code, stderr]).toEqual([0, "noise: at import\n"]);
    expect(stdout).toMatch(/^the tool said .*counter.*4/);
    expect(stdout).toContain(String(running.process.pid));
    expect(model.prompts.filter((text) => text.includes("count the boats"))).toHaveLength(1);
    expect(left().filter((entry) => String(entry).includes("claudecode_ipc_"))).toEqual([]);
  });
});
