// An ACP agent that means no good: it asks for what it was not offered, floods, reads nothing, writes lines that no one can take, and
// tells options that are none. Each turn has one end, memory stays within G10, and the next message works.

import { afterAll, expect, it } from "vitest";
import { peakMegabytes } from "../../../test/kit/processes.ts";
import { errorOf, isAlive, openRuntime, textOf, whenStill, type Runtime } from "./runtime-stage.ts";

const runtimes: Runtime[] = [];
const open = async (...args: Parameters<typeof openRuntime>): Promise<Runtime> => {
  const runtime = await openRuntime(...args);
  runtimes.push(runtime);
  return runtime;
};
// Each `close` holds all that was said against the contract.
afterAll(() => Promise.all(runtimes.map((runtime) => runtime.close())));

const expectBounded = ({ child }: Runtime): void => expect(peakMegabytes(child.pid ?? 0)).toBeLessThan(256);

it("asks for files and terminals, which it was not offered: it is told so, and the turn goes on", async () => {
  const runtime = await open();
  const asked = ["fs/read_text_file", "fs/write_text_file", "terminal/create", "elicitation/create", "hawser/secrets"];
  const said = await runtime.say([...asked.map((method) => `request ${method}`), "say end"].join("\n"));
  expect(textOf(said)).toBe(`${"-32601".repeat(asked.length)}end`);
});

it("G5 G10 floods with requests and reads no answer: it is not read any further, a cancel ends the turn, and the next message works", async () => {
  const runtime = await open();
  const pid = Number(textOf(await runtime.say("pid")));
  const id = runtime.begin("say so far\nrequests 300000");
  await runtime.next((response) => response.type === "token" && response.id === id);
  // Until it is held back, or has told everything.
  await whenStill(pid);
  await runtime.ask({ kind: "cancel", target: id });
  expect(errorOf(await runtime.endOf(id))).toContain("Cancelled by request");
  expect(textOf(await runtime.say("say next"))).toBe("next");
  expect(isAlive(pid)).toBe(false);
  expectBounded(runtime);
});

it("G10 tells 100,000 things of kinds that there are not, and lines that are too long: they cost only themselves", async () => {
  const runtime = await open();
  const said = await runtime.say("updates 100000\nlong 40000000\nsay end");
  expect([textOf(said), said.at(-1)?.type]).toEqual(["end", "done"]);
  expectBounded(runtime);
});

it("tells options that are none: those that are one are listed", async () => {
  const runtime = await open({ agents: { scripted: ["--options"] } });
  const good = { type: "boolean", id: "good", name: "Good", currentValue: true };
  const none = [null, 5, [], { id: 1 }, { type: "select", id: "x", name: "X", currentValue: "a", options: [null] }, { ...good, name: 7 }];
  const update = { sessionUpdate: "config_option_update", configOptions: [...none, good] };
  await runtime.say(`update ${JSON.stringify(update)}`);
  expect(await runtime.ask({ kind: "list_options", conversationId: "one" })).toMatchObject([
    { data: { options: [{ optionId: "good", value: true }, { optionId: "mode" }] } },
    { type: "done" },
  ]);
});

it("G17 asks three hundred questions at once: all of them are answered, and none is allowed", async () => {
  const runtime = await open({ config: { limits: { permissionMs: 500 } } });
  const said = await runtime.say("asks 300");
  expect([textOf(said), said.at(-1)?.type]).toEqual(["cancelled", "done"]);
  expect(said.filter(({ type }) => type === "permission_request").length).toBeGreaterThan(0);
});

it("asks five times at once about one tool call that it has told nothing of: it is announced once, and each question is answered", async () => {
  const runtime = await open({ config: { permissions: [{ tool: "scripted__*", decision: "allow" }] } });
  const said = await runtime.say("asks 5 same");
  expect([textOf(said), said.at(-1)?.type]).toEqual(["selected", "done"]);
  expect(said.filter(({ type }) => type === "tool_use")).toHaveLength(1);
});
