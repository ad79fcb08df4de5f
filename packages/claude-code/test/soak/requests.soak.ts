// Requests for a long time: [count] requests to the real command line over each transport, each with a tool call. Afterwards
// there is no process, no file of a session and no descriptor more than before.
//   node --conditions=hawser-source packages/claude-code/test/soak/requests.soak.ts [count, 50 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClaudeCodeModel, defineTool } from "../../src/index.ts";
import { environment, processesOf, until } from "../../../../test/kit/claude-code/surroundings.ts";
import { say, startScriptedModel, use } from "../../../../test/kit/claude-code/scripted-model.ts";

const count = Number(process.argv[2] ?? 50);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: requests.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}

const home = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
const directory = join(home, "t");
fs.mkdirSync(directory);
const server = await startScriptedModel(({ results }) => (results.length > 0 ? say("done") : [use("mcp__hawser__count")]));
const model = new ClaudeCodeModel({ cwd: home, directory, model: "claude-sonnet-4-5", env: environment(home, server.url) });
let calls = 0;
const tool = defineTool({ name: "count", description: "", input: { type: "object" }, run: () => ++calls });
const descriptors = (): number => fs.readdirSync("/proc/self/fd").length;
const startedAt = performance.now();
let before = 0;

try {
  for (const transport of ["stdio", "sdk"] as const) {
    model.setAgentToolsets([tool], { transport });
    for (let done = 0; done < count; done++) {
      const { text } = await model.request("go");
      if (text !== "done") throw new Error(`an answer was ${JSON.stringify(text)}`);
      const files = fs.readdirSync(directory);
      if (files.length > 0) throw new Error(`left behind: ${files.join(", ")}`);
      // The first request opens what stays open: modules, the connection pool.
      if (before === 0) before = descriptors();
    }
  }
  await until(() => processesOf(home).length === 0, "every process has ended");
  await until(() => descriptors() <= before + 2, `descriptors are as before: ${descriptors()}, not ${before}`);
  if (calls !== 2 * count) throw new Error(`${calls} calls instead of ${2 * count}`);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(
    `claude code requests soak: passed: ${2 * count} requests with ${calls} calls, 0 processes and 0 files left, in ${seconds} s`,
  );
} finally {
  await server.close();
  fs.rmSync(home, { recursive: true, force: true });
}
