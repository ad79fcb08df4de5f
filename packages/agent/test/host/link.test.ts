// The client over a link that has no process: lines in memory, as a page would move them.

import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/wire";
import { createAgentClient, type AgentLink, type LostRuntime } from "../../src/host/link.ts";
import { eventsOf, failureOf, textOf } from "./scripted.ts";

type Item = string | LostRuntime;

interface PageLink extends AgentLink {
  readonly sent: Record<string, unknown>[];
  deliver(message: Item | object): void;
  end(): void;
}

function createPageLink(): PageLink {
  const items: (Item | undefined)[] = [];
  let wake = (): void => {};
  const sent: Record<string, unknown>[] = [];
  async function* incoming(): AsyncGenerator<Item> {
    for (;;) {
      while (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const item = items.shift();
      if (item === undefined) return;
      yield item;
    }
  }
  const put = (item: Item | undefined): void => {
    items.push(item);
    wake();
  };
  return {
    sent,
    send: (line) => void sent.push(JSON.parse(line) as Record<string, unknown>),
    incoming: { [Symbol.asyncIterator]: incoming },
    deliver: (message) =>
      put(typeof message === "string" || "lost" in message ? (message as Item) : JSON.stringify({ timestamp: 1, ...message })),
    end: () => put(undefined),
  };
}

const ready = { type: "ready", capabilities: ["cancel"] };
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("a link that moves lines", () => {
  it("nothing is sent before the runtime is ready; then in the order of the calls", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    const first = client.send("one");
    const second = client.send("two");
    await tick();
    expect(link.sent).toEqual([]);
    link.deliver(ready);
    await tick();
    expect(link.sent.map(({ id, message }) => [id, message])).toEqual([
      [first.id, "one"],
      [second.id, "two"],
    ]);
    link.deliver({ type: "token", id: second.id, token: "2" });
    link.deliver({ type: "done", id: second.id });
    link.deliver({ type: "done", id: first.id });
    expect(await Promise.all([textOf(first), textOf(second)])).toEqual(["", "2"]);
    await client.close();
  });

  it("R140: a line that is no response is reported and reading goes on", async () => {
    const link = createPageLink();
    const noise: string[] = [];
    const client = createAgentClient(link, { onNoise: (reason) => noise.push(reason) });
    link.deliver("{broken");
    link.deliver("5");
    link.deliver(ready);
    expect((await client.ready).capabilities).toEqual(["cancel"]);
    expect(noise).toEqual(["not valid JSON; send one complete JSON value per message", "not a JSON object"]);
    await client.close();
  });

  it("a second ready means another runtime: what the first was asked is lost, and later requests are served", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    const lost = failureOf(eventsOf(client.send("one")));
    await tick();
    link.deliver({ ...ready, model: "other" });
    expect(await lost).toMatchObject({ code: "connection_lost" });
    expect(client.info).toMatchObject({ model: "other" });
    const next = client.send("two");
    link.deliver({ type: "done", id: next.id });
    expect(await textOf(next)).toBe("");
    await client.close();
  });

  it("a link that says `lost` settles what waits; what is asked meanwhile goes to the next runtime only", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    const one = failureOf(eventsOf(client.send("one")));
    await tick();
    link.deliver({ lost: new HawserError("connection_lost", "gone") });
    expect(await one).toMatchObject({ message: "gone" });
    const two = client.send("two");
    await tick();
    expect(link.sent.map(({ message }) => message)).toEqual(["one"]);
    link.deliver(ready);
    await tick();
    expect(link.sent.map(({ message }) => message)).toEqual(["one", "two"]);
    link.deliver({ type: "done", id: two.id });
    await eventsOf(two);
    await client.close();
  });

  it("the end of the link ends everything, also `ready`", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    const waiting = failureOf(eventsOf(client.send("one")));
    link.end();
    expect(await waiting).toMatchObject({ code: "connection_lost" });
    expect(await failureOf(client.ready)).toMatchObject({ code: "connection_lost" });
  });

  it("what comes again after a subscribe is delivered once", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    const turn = client.send("one");
    await tick();
    for (const seq of [1, 2, 1, 2, 3]) link.deliver({ type: "token", id: turn.id, token: String(seq), seq });
    link.deliver({ type: "done", id: turn.id, seq: 4 });
    expect(await textOf(turn)).toBe("123");
    await client.close();
  });

  it.each([
    [
      ["permissions", "permission_via"],
      [
        { decision: "allow", via: "word" },
        { decision: "deny", via: "click" },
      ],
    ],
    [["permissions"], [{ decision: "allow" }, { decision: "deny" }]],
  ])("a runtime with %j is told how the user answered if it knows that", async (capabilities, answers) => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver({ ...ready, capabilities });
    const turn = client.send("one", { onPermission: () => ({ decision: "allow", via: "word" }) });
    const ended = eventsOf(turn);
    const question = { permissionId: "p1", toolId: "t", toolName: "write_file", input: {}, reason: "asks" };
    link.deliver({ type: "permission_request", id: turn.id, data: question });
    const sentKind = (kind: string) => link.sent.filter((request) => request["kind"] === kind);
    await expect.poll(() => sentKind("permission_response")).toHaveLength(1);
    const second = client.respondPermission("p2", "deny", "click");
    await expect.poll(() => sentKind("permission_response")).toHaveLength(2);
    const sent = sentKind("permission_response");
    expect(sent.map(({ id: _id, kind: _kind, permissionId: _permissionId, ...answer }) => answer)).toEqual(answers);
    for (const { id } of sent) link.deliver({ type: "done", id });
    link.deliver({ type: "done", id: turn.id });
    await Promise.all([second, ended]);
    await client.close();
  });

  it("close cancels running turns before it lets go", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    const turn = client.send("one");
    const ended = failureOf(eventsOf(turn));
    await tick();
    await client.close();
    expect(await ended).toMatchObject({ code: "closed" });
    expect(link.sent.at(-1)).toMatchObject({ kind: "cancel", target: turn.id });
  });
});
