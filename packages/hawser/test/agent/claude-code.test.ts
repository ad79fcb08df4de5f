// `hawser agent --model claude-code/…` with the real Claude Code and a scripted model on the loopback interface: the
// runtime's own tools, under the runtime's permissions, in a conversation whose next message resumes the session.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { say, startScriptedModel, use } from "../../../claude-code/test/fixtures/scripted-model.ts";
import { makeStage, startIn, textOfEvents, toEvents } from "./agent-stage.ts";

const platform = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
const hasCli = existsSync(join(import.meta.dirname, "../../../../node_modules", platform, "claude"));

const lines = (requests: readonly object[]): string => requests.map((request) => `${JSON.stringify(request)}\n`).join("");

describe.runIf(hasCli)("hawser agent with Claude Code as its model", () => {
  it("runs the runtime's tools under its permissions, and resumes with the conversation", async () => {
    const model = await startScriptedModel(({ results, resultTexts, said }) => {
      if (results.length > 0) return say(`I saw ${resultTexts.join(" and ")}`);
      if (said.includes("again")) return say("as before");
      return [use("mcp__hawser__read_file", { path: "log.txt" }), use("mcp__hawser__write_file", { path: "new.txt", content: "x" })];
    });
    const stage = makeStage({ "log.txt": "three boats" });
    const env = {
      CLAUDE_CONFIG_DIR: join(stage.home, "claude"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none-at-all",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    };
    const metadata = { conversationId: "harbour" };
    const input = lines([
      { id: "1", kind: "user_message", message: "look", metadata },
      { id: "2", kind: "user_message", message: "again", metadata },
    ]);
    const running = startIn(stage, ["agent", "--model", "claude-code/claude-sonnet-4-5", "--permissions", "deny"], env);
    running.process.stdin.write(input);
    for (let turn = 1; turn <= 2; turn++) await running.printed('"type":"done"');
    running.process.stdin.end();
    const { stdout, stderr } = await running.ended;
    await model.close();
    const events = toEvents(stdout);
    expect(stderr).toBe("");
    expect(events.filter(({ type }) => type === "tool_use")).toHaveLength(2);
    const text = textOfEvents(events.filter(({ id }) => id === "1"));
    expect(text).toContain("three boats");
    expect(existsSync(join(stage.folder, "new.txt"))).toBe(false);
    expect(events.filter(({ type }) => type === "done")).toHaveLength(2);
    const [first, , second] = model.conversations;
    expect(first!.tools.every(({ name }) => name.startsWith("mcp__hawser__"))).toBe(true);
    // What was said before is in the session, not in the text.
    expect(second!.messages.filter(({ role }) => role === "assistant")).toHaveLength(2);
    expect(second!.said).not.toContain("<conversation>");
  });
});
