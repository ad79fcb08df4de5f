// Things that only the whole process shows: its end after the input has ended, a vendor's other API, and what
// a user's module or file does to its start. Each is a process that mostly waits, so they wait side by side.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { wireLimits } from "@hawser/wire";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import { checkEnds, hostileTools, isEnd, makePlace, say, startAgent } from "./process-stage.ts";

const timeout = 240_000;

it.concurrent(
  "G8: the end of input with hanging tools is the end of the process within 10 s, each turn ended once",
  { timeout },
  async () => {
    using place = makePlace();
    const agent = startAgent(place, { args: ["--model", "offline", "--tools", hostileTools] });
    for (const id of ["a", "b", "c"]) agent.send(say(id, "call hangs", id));
    for (const id of ["a", "b", "c"]) await agent.next((response) => response["id"] === id && response["type"] === "tool_use");
    const begin = performance.now();
    expect(await agent.finish()).toBe(0);
    // What runs is cancelled after 8.5 s; the rest of the 10 is for its answers, and all above them for a busy machine.
    expect(wireLimits.eofGraceMs).toBe(10_000);
    expect(performance.now() - begin).toBeLessThan(wireLimits.eofGraceMs + 30_000);
    expect(agent.responses.filter(isEnd).map(({ code }) => String(code))).toEqual(["cancelled", "cancelled", "cancelled"]);
  },
);

it.concurrent("R113 R121: a turn with a tool through OpenAI's API, from the line on stdin to the line on stdout", { timeout }, async () => {
  using place = makePlace({ "notes.txt": "low tide at six" });
  const server = await startScriptedOpenAI([
    { text: "I look. ", calls: [{ id: "call_1", name: "read_file", input: { path: "notes.txt" } }] },
    { text: ["It is ", "at six."] },
  ]);
  const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.url };
  const agent = startAgent(place, { args: ["--model", "openai/scripted"], env });
  expect(await agent.next(({ type }) => type === "ready")).toMatchObject({ model: "openai/scripted" });
  agent.send(say("1", "when is low tide?"));
  expect(await agent.endOf("1")).toMatchObject({ type: "done" });
  const tokens = agent.of("1").map(({ token }) => String(token ?? ""));
  expect(tokens.join("")).toBe("I look. \n\nIt is at six.");
  expect(agent.of("1").find(({ type }) => type === "tool_result")).toMatchObject({ data: { toolId: "call_1", toolName: "read_file" } });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("low tide at six");
  expect(await agent.finish()).toBe(0);
  checkEnds(agent.responses);
  await server.close();
});

it.concurrent(
  "RUN-10: a module that calls process.exit while it is loaded costs its own tools, and the log says which it was",
  { timeout },
  async () => {
    using place = makePlace({
      "leaves.mjs": "process.exit(7);",
      "leaves-late.mjs": "await new Promise((go) => setTimeout(go, 50)); process.exit(7);",
    });
    const modules = ["leaves.mjs", "leaves-late.mjs"].map((name) => join(place.folder, name));
    const agent = startAgent(place, { args: ["--model", "offline", ...modules.flatMap((path) => ["--tools", path])] });
    agent.send(say("1", "what is 2 * 3?"));
    expect(await agent.endOf("1")).toMatchObject({ type: "done" });
    expect(await agent.finish()).toBe(0);
    for (const path of modules) expect(agent.stderr()).toContain(`the module ${path} called process.exit(7); it was not carried out`);
  },
);

it.concurrent("SEC: remembered permissions that are a named pipe are not waited for, and the log says so", { timeout }, async () => {
  using place = makePlace({}, { rememberPermissions: true });
  mkdirSync(place.data, { recursive: true });
  execFileSync("mkfifo", [join(place.data, "permissions.json")]);
  const agent = startAgent(place);
  agent.send(say("1", "what is 2 * 3?"));
  expect(await agent.endOf("1")).toMatchObject({ type: "done" });
  expect(await agent.finish()).toBe(0);
  expect(agent.stderr()).toContain("are not used: it is not a regular file");
});
