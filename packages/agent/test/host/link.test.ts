// The client over a link that has no process: lines in memory, as a page would move them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { agentHostLimits, createAgentClient } from "../../src/host/link.ts";
import { createPageLink } from "./page-link.ts";
import { eventsOf, failureOf, textOf } from "./scripted.ts";

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
    const second = client.respondPermission("p2", { decision: "deny", via: "click" });
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

describe("a request that another program has sent", () => {
  const tokens = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: "token", id: "r1", token: `${at + 1} `, seq: at + 1 }));
  const whole = tokens(6);
  const end = { type: "done", id: "r1", seq: 7 };
  const text = "1 2 3 4 5 6 ";

  it("is followed once it is adopted, sends nothing, and is cancelled neither by leaving nor by closing", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    link.deliver({ ...whole[0], id: "r2" });
    const [left, running] = [client.adopt("r1"), client.adopt("r2")];
    expect(() => client.adopt("r1")).toThrow(/followed by this client already/);
    link.deliver({ ...whole[0] });
    for await (const event of left) {
      expect(event).toMatchObject({ token: "1 " });
      break;
    }
    const ended = failureOf(eventsOf(running));
    await client.close();
    expect(await ended).toMatchObject({ code: "closed" });
    expect(link.sent).toEqual([]);
  });

  it("may come twice and in any order before its end, and is delivered once and in order", async () => {
    const mixed = fc.shuffledSubarray([...whole, ...whole, ...whole], { minLength: 18, maxLength: 18 });
    await fc.assert(
      fc.asyncProperty(mixed, fc.nat({ max: 6 }), async (events, since) => {
        const link = createPageLink();
        const client = createAgentClient(link);
        link.deliver(ready);
        const turn = client.adopt("r1", { since });
        for (const event of [...events, end]) link.deliver(event);
        expect(await textOf(turn)).toBe(text.slice(2 * since));
        await client.close();
      }),
    );
  });

  it("ends although something is missing, with what has come, of which no more is kept than may be", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver(ready);
    const turn = client.adopt("r1");
    for (const event of tokens(agentHostLimits.hostEarlyEntries + 20).slice(1)) link.deliver(event);
    link.deliver({ ...end, seq: agentHostLimits.hostEarlyEntries + 21 });
    const events = await eventsOf(turn);
    expect(events).toHaveLength(agentHostLimits.hostEarlyEntries + 1);
    expect(events.map(({ seq }) => seq).slice(0, 2)).toEqual([2, 3]);
    await client.close();
  });

  it("is sent again by `repeat`, mixed with what comes live", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver({ ...ready, capabilities: ["subscribe"] });
    const turn = client.adopt("r1", { since: 1 });
    link.deliver(whole[4]!);
    const running = client.repeat("c1", 1);
    await expect.poll(() => link.sent.length).toBe(1);
    expect(link.sent[0]).toMatchObject({ kind: "subscribe", conversationId: "c1", since: 1 });
    for (const event of whole.slice(1, 5)) link.deliver(event);
    link.deliver({ type: "done", id: link.sent[0]!["id"], data: { running: "r1" } });
    for (const event of [whole[5]!, end]) link.deliver(event);
    expect([await running, await textOf(turn)]).toEqual(["r1", text.slice(2)]);
    await client.close();
  });

  it("is kept by `subscribe` until it is named, but no more of it than may be", async () => {
    const link = createPageLink();
    const client = createAgentClient(link);
    link.deliver({ ...ready, capabilities: ["subscribe"] });
    const follow = async (events: readonly object[]) => {
      link.sent.length = 0;
      const turn = client.subscribe("c1");
      await expect.poll(() => link.sent.length).toBe(1);
      for (const event of events) link.deliver(event);
      link.deliver({ type: "done", id: link.sent[0]!["id"], data: { running: "r1" } });
      return turn;
    };
    // Live ones before those that are sent again.
    const turn = await follow([whole[4]!, whole[5]!, ...whole, { type: "done", id: "r1", seq: 7 }]);
    expect(turn && (await textOf(turn))).toBe(text);
    const long = "x".repeat(agentHostLimits.hostUnreadChars / 4);
    const failure = await failureOf(follow(Array.from({ length: 5 }, (_, at) => ({ ...whole[0], token: long, seq: at + 1 }))));
    expect(failure).toMatchObject({ code: "overloaded" });
    await client.close();
  });
});

it("tells each greeting, every message with its text, and a line that is no message with the line", async () => {
  const link = createPageLink();
  const told: unknown[] = [];
  const client = createAgentClient(link, {
    onReady: ({ startedAt }) => told.push(["ready", startedAt]),
    onMessage: (direction, message, { length }) => told.push([direction, message["type"] ?? message["kind"], length]),
    onNoise: (_reason, line) => told.push(["noise", line]),
  });
  link.deliver('{"type":"ready","timestamp":7}');
  link.deliver("{oops");
  link.deliver('{"type":"ready"}');
  await tick();
  const status = client.status();
  await tick();
  link.deliver({ type: "status", id: link.sent[0]!["id"], data: { state: "idle", conversationLength: 0, uptime: 1 } });
  await status;
  expect(told.slice(0, 6)).toEqual([
    ["RECV", "ready", 30],
    ["ready", 7],
    ["noise", "{oops"],
    ["RECV", "ready", 16],
    ["noise", undefined],
    ["SEND", "get_status", JSON.stringify(link.sent[0]).length],
  ]);
  await client.close();
});
