// The official MCP conformance suite against the bridge. It speaks HTTP only, so a relay stands in front.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { readConfig, startExpose, withClient } from "../../packages/hawser/test/expose-session.ts";
import { startRelay } from "./http-relay.ts";
import { installed } from "./installed.ts";

const suite = join(installed, "@modelcontextprotocol", "conformance", "dist", "index.js");
const tools = join(import.meta.dirname, "fixtures", "conformance-tools.ts");

const passing = [
  "dns-rebinding-protection",
  "json-schema-2020-12",
  "logging-set-level",
  "ping",
  "server-initialize",
  "server-sse-multiple-streams",
  "server-sse-polling",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-image",
  "tools-call-mixed-content",
  "tools-call-simple-text",
  "tools-call-with-logging",
  "tools-call-with-progress",
  "tools-list",
];

/** What a server would have to offer, or to ask its client for, besides tools. */
const needed: Readonly<Record<string, string>> = {
  "completion-complete": "completions",
  "elicitation-sep1034-defaults": "elicitation",
  "elicitation-sep1330-enums": "elicitation",
  "prompts-get-embedded-resource": "prompts",
  "prompts-get-simple": "prompts",
  "prompts-get-with-args": "prompts",
  "prompts-get-with-image": "prompts",
  "prompts-list": "prompts",
  "resources-list": "resources",
  "resources-read-binary": "resources",
  "resources-read-text": "resources",
  "resources-subscribe": "resources",
  "resources-templates-read": "resources",
  "resources-unsubscribe": "resources",
  "tools-call-elicitation": "elicitation",
  "tools-call-sampling": "sampling",
};

it("BRG-12 of the 32 scenarios of the official suite the bridge passes the 16 that a server of tools can", async ({ skip }) => {
  skip(!existsSync(suite), "the suite is not installed: npm run test:clients does that");
  const exposed = startExpose([tools]);
  const config = await readConfig(exposed);
  const relay = await startRelay(config);
  const running = spawn(process.execPath, [suite, "server", "--suite", "all", "--url", relay.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = await text(running.stdout);
  // It does not claim what the others ask for.
  const capabilities = await withClient(config, async (client) => Object.keys(client.getServerCapabilities() ?? {}));
  relay.close();
  exposed.running.process.kill("SIGINT");
  await exposed.running.ended;
  const verdicts = [...output.matchAll(/^([✓✗]) (\S+): /gm)].map(([, sign, name]) => [name as string, sign === "✓"] as const);
  const namesOf = (verdict: boolean): string[] =>
    verdicts
      .filter(([, isPassed]) => isPassed === verdict)
      .map(([name]) => name)
      .toSorted();
  expect({ passing: namesOf(true), failing: namesOf(false) }).toEqual({ passing, failing: Object.keys(needed) });
  expect(new Set(Object.values(needed)).isDisjointFrom(new Set(capabilities))).toBe(true);
});
