// The link of a desktop window against Tauri's own mock: events in, commands out.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { invoke } from "@tauri-apps/api/core";
import { emit, listen } from "@tauri-apps/api/event";
import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { createAgentClient, type LostRuntime, type ParsedLine } from "@hawser/agent/host/link";
import type { PageLinkEvents } from "../../src/page/links/page-link.ts";
import { createTauriLink } from "../../src/page/links/tauri-link.ts";
import { createActions } from "../../src/page/session/actions.ts";
import { createSession } from "../../src/page/session/session.ts";
import { isConnected, type LinkState } from "../../src/page/state/page-state.ts";

interface SentCommand {
  readonly command: string;
  readonly line: unknown;
}

const commands: SentCommand[] = [];
/** What the process behind the window says to a line that it does not take. */
let refusal: unknown;
const lineOf = (args: unknown): unknown => (args as { line?: unknown } | undefined)?.line;

beforeEach(() => {
  Object.assign(globalThis, { window: globalThis });
  commands.length = 0;
  refusal = undefined;
  mockIPC(
    (command, args) => {
      commands.push({ command, line: lineOf(args) });
      return command === "agent_send" && refusal !== undefined ? Promise.reject(refusal as Error) : undefined;
    },
    { shouldMockEvents: true },
  );
});
afterEach(() => {
  clearMocks();
  Reflect.deleteProperty(globalThis, "window");
});

async function openLink() {
  const states: LinkState[] = [];
  const link = createTauriLink({ listen, invoke }, { onOverheard() {}, onState: (state) => void states.push(state) });
  await expect.poll(() => commands.some(({ command }) => command === "agent_hello"), { timeout: 30_000 }).toBe(true);
  const items = link.incoming[Symbol.asyncIterator]();
  const next = async () => (await items.next()).value as ParsedLine | LostRuntime;
  return { link, states, next };
}

describe("the Tauri link", () => {
  it("R140 takes each `agent_stream` event for a response, as an object or as a line", async () => {
    const { link, states, next } = await openLink();
    await emit("agent_stream", { type: "ready", timestamp: 1 });
    await emit("agent_stream", '{"type":"token","id":"r","token":"x","timestamp":2}');
    expect(await next()).toEqual({ value: { type: "ready", timestamp: 1 }, text: '{"type":"ready","timestamp":1}' });
    expect(await next()).toMatchObject({ value: { type: "token", token: "x" } });
    expect(states.at(-1)).toEqual({ phase: "open", runtime: "running" });
    link.close?.();
  });

  it("sends each request as one line with the command `agent_send`", async () => {
    const { link } = await openLink();
    await link.send('{"id":"1","kind":"get_status"}');
    expect(commands.at(-1)).toEqual({ command: "agent_send", line: '{"id":"1","kind":"get_status"}' });
    link.close?.();
  });

  it("says that the runtime is lost, and how it is, by `agent_state`", async () => {
    const { link, states, next } = await openLink();
    await emit("agent_state", { runtime: "sideways" });
    await emit("agent_state", { runtime: "restarting", message: "it crashed" });
    expect(await next()).toMatchObject({ lost: { code: "connection_lost", message: "it crashed" } });
    expect(states.at(-1)).toEqual({ phase: "open", runtime: "restarting", message: "it crashed" });
    link.close?.();
  });

  it("says in which folder the runtime works, and what to try there, also once it is ready", async () => {
    const { link, states } = await openLink();
    const facts = { root: "/home/me/project", examples: ["list the berths"] };
    await emit("agent_state", { runtime: "starting", ...facts });
    expect(states.at(-1)).toEqual({ phase: "open", runtime: "starting", ...facts });
    await emit("agent_stream", { type: "ready", timestamp: 1 });
    expect(states.at(-1)).toEqual({ phase: "open", runtime: "running", ...facts });
    await emit("agent_state", { runtime: "restarting", root: "/srv" });
    expect(states.at(-1)).toEqual({ phase: "open", runtime: "restarting", root: "/srv" });
    link.close?.();
  });

  it.each([
    [{ code: "connection_lost", message: "the agent has ended" }, "connection_lost", "the agent did not take it: the agent has ended"],
    [{ code: "too_large", message: "too long" }, "too_large", "the agent did not take it: too long"],
    [{ code: "unheard_of", message: "odd" }, "overloaded", "the agent did not take it: odd"],
    ["not allowed", "overloaded", "the agent did not take it: not allowed"],
  ])("a line that is refused fails with the code of the process: %j", async (said, code, message) => {
    const { link } = await openLink();
    refusal = said;
    await expect(link.send('{"id":"1","kind":"get_status"}')).rejects.toMatchObject({ code, message });
    link.close?.();
  });

  it("carries a whole request of the host client", async () => {
    const { link } = await openLink();
    const client = createAgentClient(link);
    await emit("agent_stream", { type: "ready", timestamp: 1, capabilities: ["models"] });
    const models = client.listModels();
    await expect.poll(() => commands.at(-1)?.command, { timeout: 30_000 }).toBe("agent_send");
    const { id } = JSON.parse(String(commands.at(-1)?.line)) as { id: string };
    await emit("agent_stream", {
      type: "models",
      id,
      data: { models: [{ model: "offline", available: true, current: true }] },
      timestamp: 2,
    });
    await emit("agent_stream", { type: "done", id, timestamp: 3 });
    expect(await models).toEqual([{ model: "offline", available: true, current: true }]);
    await client.close();
  });

  it("a message that the process does not take ends with its reason, on the screen too, and what follows goes on", async () => {
    const openLink = (events: PageLinkEvents) => createTauriLink({ listen, invoke }, events);
    const session = createSession({ openLink, schedule: (flush) => void setTimeout(flush, 1), now: Date.now });
    const { send } = createActions(session);
    session.open();
    await emit("agent_stream", { type: "ready", timestamp: 1 });
    await expect.poll(() => isConnected(session.store.getState()), { timeout: 30_000 }).toBe(true);
    refusal = { code: "overloaded", message: "its queue is full" };
    await send("hello", []);
    const failures = (): unknown[] =>
      Object.values(session.store.getState().threads).flatMap(({ messages }) => messages.map(({ failure }) => failure));
    await expect
      .poll(failures, { timeout: 30_000 })
      .toContainEqual(expect.objectContaining({ text: expect.stringContaining("its queue is full") as unknown }));
    expect(Object.values(session.store.getState().turns).map(({ state }) => state)).toEqual(["ended"]);
    refusal = undefined;
    await send("again", []);
    expect(Object.values(session.store.getState().turns).map(({ state }) => state)).toEqual(["ended", "running"]);
    await session.close();
  });

  it("hears nothing any more once it is closed", async () => {
    const { link, states, next } = await openLink();
    link.close?.();
    await emit("agent_stream", { type: "ready", timestamp: 1 });
    expect(await next()).toBeUndefined();
    expect(states.at(-1)).toMatchObject({ phase: "ended" });
  });
});
