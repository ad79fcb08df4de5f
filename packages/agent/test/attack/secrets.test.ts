// Keys that no error may show, however odd they are: in what is printed, in the history and in the audit log.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace, say, startAgent } from "./process-stage.ts";

const canary = "CANARY7f3a91";

function textIn(folder: string): string {
  if (!existsSync(folder)) return "";
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return paths.map((path) => (statSync(path).isFile() ? readFileSync(path, "utf8") : "")).join("\n");
}

it.each([
  [
    "a key with a line break in it",
    "anthropic/x",
    { ANTHROPIC_API_KEY: `sk-${canary}\nrest`, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    {},
  ],
  ["a key that would add a header", "openai/x", { OPENAI_API_KEY: `sk-${canary}\r\nother: x`, OPENAI_BASE_URL: "http://127.0.0.1:9" }, {}],
  ["a password in a server's url", "offline", {}, { mcpServers: { odd: { type: "http", url: `http://user:${canary}@127.0.0.1:9/` } } }],
])("SEC-01: %s is seen nowhere", async (_, model, env, config) => {
  const place = makePlace({}, config);
  try {
    const agent = startAgent(place, { args: ["--model", model, "--debug-protocol"], env });
    agent.send(say("ask", "which tools do you have"), { id: "models", kind: "list_models" });
    await agent.endOf("ask");
    await agent.endOf("models");
    expect(await agent.finish()).toBe(0);
    const all = agent.stdout() + agent.stderr() + textIn(place.data);
    expect(all).toContain("which tools do you have");
    expect(all).not.toContain(canary);
  } finally {
    place.remove();
  }
});
