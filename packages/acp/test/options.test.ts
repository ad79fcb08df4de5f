// What can be chosen about an ACP agent, through `list_options` and `set_option`.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorOf, makeHome, openRuntime, textOf } from "./runtime-stage.ts";

const choices = [
  {
    optionId: "model",
    name: "Model",
    category: "model",
    value: "small",
    values: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large", description: "slower" },
    ],
  },
  { optionId: "fast", name: "Fast", value: false },
  {
    optionId: "mode",
    name: "Mode",
    category: "mode",
    value: "ask",
    values: [
      { value: "ask", name: "Ask" },
      { value: "code", name: "Code" },
    ],
  },
];

it("its config options and modes are listed and set; what there is not is refused", async () => {
  const runtime = await openRuntime({ agents: { scripted: ["--options"] } });
  const list = { kind: "list_options", conversationId: "one" };
  const set = { kind: "set_option", conversationId: "one" };
  expect(await runtime.ask(list)).toMatchObject([{ type: "options", data: { options: choices } }, { type: "done" }]);
  const [first, second, third] = choices;
  expect(await runtime.ask({ ...set, optionId: "model", value: "large" })).toMatchObject([
    { data: { options: [{ ...first, value: "large" }, second, third] } },
    { type: "done" },
  ]);
  expect(await runtime.ask({ ...set, optionId: "fast", value: true })).toMatchObject([
    { data: { options: [{}, { value: true }, {}] } },
    {},
  ]);
  expect(await runtime.ask({ ...set, optionId: "mode", value: "code" })).toMatchObject([
    { data: { options: [{}, {}, { value: "code" }] } },
    {},
  ]);
  expect(errorOf(await runtime.ask({ ...set, optionId: "colour", value: "red" }))).toContain('acp/scripted has no option "colour"');
  expect(errorOf(await runtime.ask({ ...set, optionId: "mode", value: "red" }))).toContain('"mode" has no value "red"');
  expect(errorOf(await runtime.ask({ ...set, optionId: "fast", value: "yes" }))).toContain('"fast" has no value "yes"');
  await runtime.close();
});

it("they are listed and not set while a turn runs, and the agent's own changes are seen", async () => {
  const runtime = await openRuntime({ agents: { scripted: ["--options"] } });
  const change = { sessionUpdate: "current_mode_update", currentModeId: "code" };
  const id = runtime.begin(`update ${JSON.stringify(change)}\nsay x\nwait`);
  await runtime.next((response) => response.type === "token");
  expect(await runtime.ask({ kind: "list_options", conversationId: "one" })).toMatchObject([
    { data: { options: [{}, {}, { value: "code" }] } },
    {},
  ]);
  const set = { kind: "set_option", conversationId: "one", optionId: "mode", value: "ask" };
  expect(errorOf(await runtime.ask(set))).toContain("the conversation is busy");
  await runtime.ask({ kind: "cancel", target: id });
  await runtime.close();
});

it("a model has none", async () => {
  const runtime = await openRuntime();
  const model = { conversationId: "one", model: "offline" };
  expect(await runtime.ask({ kind: "list_options", ...model })).toMatchObject([{ data: { options: [] } }, { type: "done" }]);
  expect(errorOf(await runtime.ask({ kind: "set_option", ...model, optionId: "x", value: "y" }))).toContain('offline has no option "x"');
  await runtime.close();
});

it("asked for while the first turn begins, they take part in its session, and the next turn knows what was said", async () => {
  const home = makeHome();
  const runtime = await openRuntime({ home, agents: { scripted: ["--held-new"] } });
  const said = runtime.say("say Four boats.");
  const listed = runtime.ask({ kind: "list_options", conversationId: "one" });
  // Read behind it, so both have begun; now the agent may.
  await runtime.ask({ kind: "get_status" });
  writeFileSync(join(home, "memory", "go"), "");
  await Promise.all([said, listed]);
  expect(textOf(await runtime.say("sessions"))).toBe("1");
  expect(JSON.parse(textOf(await runtime.say("recall")))).toEqual(["say Four boats.", "sessions"]);
  expect(textOf(await runtime.say("prompt"))).not.toContain("Four boats.");
  await runtime.close();
});
