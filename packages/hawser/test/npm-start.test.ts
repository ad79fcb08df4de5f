// What `npm start` runs, with a key in the environment: the model of that key answers.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { demoShell, describeStart } from "../../../scripts/tasks/demo-shell.ts";
import { hawserCommand, makeStage } from "./agent/agent-stage.ts";

it("npm start -- --help says what npm start adds to the command that the help is of", () => {
  expect(describeStart(["--help"])).toContain("npx hawser shell --demo --tools examples/tools.ts <options>");
  expect(describeStart(["-h"])).toBe(describeStart(["--help"]));
  expect(describeStart(["--no-open"])).toBeUndefined();
});

it.each([
  ["with a key the real model", { ANTHROPIC_API_KEY: "sk-not-a-real-key" }, /^anthropic\//],
  ["without one the offline model", {}, /^offline$/],
])("npm start offers %s", async (_which, key, model) => {
  const { env, folder } = makeStage();
  // The flags for the runtime are those of the shell; it says in its first line which model answers.
  const [, , ...flags] = demoShell.filter((word) => word !== "--demo" && !word.endsWith("tools.ts") && word !== "--tools");
  const [program, ...words] = hawserCommand(["agent", ...flags]);
  const agent = spawn(program, words, { cwd: folder, env: { ...env, ...key }, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void agent.kill());
  for await (const line of createInterface({ input: agent.stdout })) {
    expect(JSON.parse(line)).toMatchObject({ type: "ready", model: expect.stringMatching(model) as string });
    break;
  }
});
