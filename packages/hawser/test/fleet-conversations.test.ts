// Conversations that survive their machine, with real processes: whatever dies, every request has one end, no tool runs twice, nothing
// that was acknowledged is lost, and the next message works.

import { randomUUID } from "node:crypto";
import { spawnAgent } from "@hawser/agent/host";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { anyRuntimeSubject, header, toEventSubject } from "../../fleet/src/conversations/conversation-names.ts";
import { toPartHeaders } from "../../fleet/src/conversations/parts.ts";
import { setJournalRoom } from "../../fleet/test/stream-settings.ts";
import { until } from "../../../test/kit/until.ts";
import { makeFolder, runHawser } from "./run-hawser.ts";
import { endsOf, openRig, say, textOf, weld, type RawHost } from "./fleet-rig.ts";

let address = "";
let rig: Awaited<ReturnType<typeof openRig>>;

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram === "") return;
  ({ address } = await openServer({ maxPayload: 262_144 }));
  rig = await openRig(address);
});
afterAll(() => rig?.close());

const fresh = () => ({ id: randomUUID(), conversation: `c-${randomUUID().slice(0, 8)}` });

async function load(host: RawHost, conversationId: string): Promise<unknown[]> {
  const id = randomUUID();
  host.send({ id, kind: "load_conversation", conversationId });
  expect(await host.end(id)).toMatchObject({ type: "done" });
  return host.lines.flatMap((line) =>
    line.id === id && line.type === "conversation" ? (line["data"] as { messages: unknown[] }).messages : [],
  );
}

async function expectGoesOn(host: RawHost, conversationId: string): Promise<void> {
  const id = randomUUID();
  host.send(say(id, "2+2", conversationId));
  expect(await host.end(id)).toMatchObject({ type: "done" });
  expect(textOf(host, id)).toContain("4");
}

describe("a conversation of a fleet", () => {
  it("has one end and no second run of a tool when its machine is killed in the middle of a turn, and goes on with the next one", async () => {
    const [first, second] = [await rig.runtime(), await rig.runtime()];
    const host = await rig.host();
    const { id, conversation } = fresh();
    host.send(say(id, weld("killed", true), conversation));
    const pid = await rig.held("killed");
    process.kill(pid, "SIGKILL");
    const end = await host.end(id);
    expect(end).toMatchObject({ type: "error", code: "connection_lost", error: expect.stringContaining("is in the conversation") });
    expect(endsOf(host, id)).toHaveLength(1);
    expect(rig.runs().filter((run) => run.startsWith("killed "))).toHaveLength(1);
    const messages = await load(host, conversation);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", interrupted: expect.any(String) });
    expect(JSON.stringify(messages)).toContain("the process ended before the tool did");
    await expectGoesOn(host, conversation);
    await host.close();
    for (const one of [first, second]) one.process.kill("SIGKILL");
    await Promise.all([first.ended, second.ended]);
  });

  it("is refused to an owner that was frozen for longer than its lease; the owner says so, and what it had is dropped", async () => {
    const [first, second] = [await rig.runtime(), await rig.runtime()];
    const host = await rig.host();
    const { id, conversation } = fresh();
    host.send(say(id, `${weld("frozen", true)} and then ${weld("after")}`, conversation));
    const pid = await rig.held("frozen");
    const [owner, other] = first.process.pid === pid ? [first, second] : [second, first];
    owner.process.kill("SIGSTOP");
    expect(await host.end(id)).toMatchObject({ type: "error", code: "connection_lost" });
    await expectGoesOn(host, conversation);
    rig.letGo("frozen");
    owner.process.kill("SIGCONT");
    await expect.poll(() => owner.stderr(), { timeout: 20_000 }).toContain("was taken over by another machine");
    await expectGoesOn(host, conversation);
    expect(endsOf(host, id)).toHaveLength(1);
    // The tool that ran while its owner was frozen has run; the next one of that turn has not.
    expect(rig.runs().filter((run) => /^(frozen|after) /.test(run))).toHaveLength(1);
    const messages = JSON.stringify(await load(host, conversation));
    expect(messages).not.toContain("seam frozen is welded");
    // The owner lives, and serves again.
    other.process.kill("SIGKILL");
    await other.ended;
    await expectGoesOn(host, conversation);
    await host.close();
    owner.process.kill("SIGKILL");
    await owner.ended;
  });

  it("goes on without its host, and another host on another machine sees the turn from its beginning", async () => {
    const runtime = await rig.runtime();
    const [one, two] = [await rig.host(), await rig.host()];
    const { id, conversation } = fresh();
    one.send(say(id, weld("orphan", true), conversation));
    await rig.held("orphan");
    one.process.kill("SIGKILL");
    two.send({ id: "again", kind: "subscribe", conversationId: conversation });
    expect(await two.end("again")).toMatchObject({ type: "done", data: { running: id } });
    rig.letGo("orphan");
    expect(await two.end(id)).toMatchObject({ type: "done" });
    const turn = two.lines.filter((line) => line.id === id);
    expect(turn.map((line) => line["seq"])).toEqual(turn.map((_, index) => index + 1));
    expect(textOf(two, id)).toContain("seam orphan is welded");
    await two.close();
    runtime.process.kill("SIGKILL");
    await runtime.ended;
  });

  it("is handed over at once by a runtime that is told to stop, or to leave, after what runs has ended", async () => {
    const first = await rig.runtime();
    const host = await rig.host();
    const { id, conversation } = fresh();
    host.send(say(id, weld("handed", true), conversation));
    await rig.held("handed");
    const second = await rig.runtime();
    first.process.kill("SIGTERM");
    rig.letGo("handed");
    expect(await host.end(id)).toMatchObject({ type: "done" });
    expect((await first.ended).code).toBe(0);
    await expectGoesOn(host, conversation);
    const drained = await rig.drain("agents");
    expect(drained.code).toBe(0);
    expect((await second.ended).code).toBe(0);
    await host.close();
  });

  describe("with one runtime", () => {
    let host: RawHost;
    beforeAll(async () => {
      if (serverProgram === "") return;
      await rig.runtime();
      host = await rig.host();
    });

    it("runs a request that is repeated once, and answers it with its recorded end; without a host's name nothing is known as repeated", async () => {
      const { id, conversation } = fresh();
      const inbox = `test.${id}`;
      const answers: unknown[] = [];
      rig.connection.subscribe(inbox, { callback: (_, message) => void answers.push(message.json()) });
      const line = JSON.stringify(say(id, weld(`once-${id}`), conversation));
      const ask = (values: Record<string, string>) =>
        rig.connection.request(anyRuntimeSubject, line, { headers: toPartHeaders(values, 0, 1), timeout: 20_000 });
      const named = { [header.host]: "one", [header.inbox]: inbox };
      const runs = (): number => rig.runs().filter((run) => run.startsWith(`once-${id} `)).length;
      expect((await ask(named)).json()).toMatchObject({ accepted: true });
      // While it runs it is not begun again; afterwards its end is told.
      await until(async () => {
        expect((await ask(named)).json()).toMatchObject({ accepted: true });
        return answers.length > 0;
      });
      expect([answers[0], runs()]).toEqual([expect.objectContaining({ id, type: "done" }), 1]);
      expect((await ask({ [header.inbox]: inbox })).json()).toMatchObject({ accepted: true });
      await expect.poll(runs, { timeout: 20_000 }).toBe(2);
    });

    it("is had by a program with spawnAgent and the fleet's address alone; what that has started ends with it", async () => {
      const { conversation } = fresh();
      await expect(spawnAgent({ fleet: address, args: ["agent"] })).rejects.toMatchObject({ code: "usage" });
      const agent = await spawnAgent({ fleet: address });
      const { pid } = agent;
      let said = "";
      for await (const event of agent.send({ message: weld("spawned"), metadata: { conversationId: conversation } }))
        if (event.type === "token") said += event.token;
      expect(said).toContain("seam spawned is welded");
      expect((await agent.loadConversation(conversation)).messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      // Another host of the fleet has the same conversation.
      await expectGoesOn(host, conversation);
      expect((await agent.listConversations()).find(({ conversationId }) => conversationId === conversation)).toMatchObject({
        messages: 4,
      });
      await agent.close();
      expect(() => process.kill(pid as number, 0)).toThrow("ESRCH");
    });

    it("lives on when anything at all is sent to the runtimes' subjects", async () => {
      const junk = ["{", "[]", "null", '{"id":1,"kind":"user_message"}', '{"kind":"cancel"}', "\u0000", "x".repeat(200_000)];
      for (const text of junk) {
        rig.connection.publish(anyRuntimeSubject, text);
        rig.connection.publish(anyRuntimeSubject, text, {
          reply: "nowhere",
          headers: toPartHeaders({ [header.conversation]: "%zz" }, 0, 1),
        });
        rig.connection.publish(toEventSubject("junk"), text, {
          headers: toPartHeaders({ [header.epoch]: "x", [header.part]: "9/3" }, 0, 1),
        });
      }
      host.send({ id: "junk", kind: "subscribe", conversationId: "junk" });
      expect(await host.end("junk")).toMatchObject({ type: "done" });
      await expectGoesOn(host, "junk");
    });

    it("may have a name of anything at all that means something on the bus", async () => {
      for (const conversation of ["*", ">", "$JS.API.>", " a b\t\u0000\r\nHawser-Epoch: 9 ", "../x"]) {
        await expectGoesOn(host, conversation);
        expect(await load(host, conversation)).toHaveLength(2);
      }
      host.send({ id: "names", kind: "list_conversations" });
      expect(await host.end("names")).toMatchObject({ type: "done" });
      const listed = JSON.stringify(host.lines.filter(({ id }) => id === "names"));
      for (const conversation of ["*", ">", "$JS.API.>"]) expect(listed).toContain(`"conversationId":"${conversation}"`);
    });

    it("refuses a message that the server does not carry, with both sizes, and takes apart what is larger on the way back", async () => {
      const { id, conversation } = fresh();
      host.send(say("large", "x".repeat(300_000), conversation));
      expect(await host.end("large")).toMatchObject({
        code: "too_large",
        error: expect.stringMatching(/300\d{3} bytes; the limit is 262144/),
      });
      host.send(say(id, weld("wide", false, 600_000), conversation));
      expect(await host.end(id)).toMatchObject({ type: "done" });
      const result = host.lines.find((line) => line.id === id && line.type === "tool_result");
      expect(JSON.stringify(result).length).toBeGreaterThan(600_000);
      expect(JSON.stringify(await load(host, conversation)).length).toBeGreaterThan(600_000);
    });

    it("never carries a key: what is about the runtime's machine is refused by the host itself", async () => {
      const heard: string[] = [];
      const all = rig.connection.subscribe(">", { callback: (_, message) => void heard.push(message.string()) });
      await rig.connection.flush();
      host.send({ id: "key", kind: "set_key", vendor: "openai", apiKey: "sk-canary" });
      expect(await host.end("key")).toMatchObject({ code: "unknown_method", error: expect.not.stringContaining("canary") });
      await expectGoesOn(host, "keys");
      expect(heard.join("\n")).not.toContain("canary");
      expect(heard.length).toBeGreaterThan(0);
      all.unsubscribe();
    });

    it("ends a turn with what to do when the journal is full, and takes the next one when there is room", async () => {
      const { id, conversation } = fresh();
      await expectGoesOn(host, conversation);
      await setJournalRoom(rig.fleet, 100);
      host.send(say(id, "2+3", conversation));
      expect(await host.end(id)).toMatchObject({ type: "error", error: expect.stringContaining("Make room in the stream HAWSER_JOURNAL") });
      await setJournalRoom(rig.fleet, undefined);
      await expectGoesOn(host, conversation);
      expect(endsOf(host, id)).toHaveLength(1);
    });

    it("is shown by status, with the runtime that has it and what is left of its lease", async () => {
      const { conversation } = fresh();
      await expectGoesOn(host, conversation);
      const shown = await rig.status();
      expect(shown.stdout).toMatch(/^SERVICE +MACHINE[^]+agents +\S+ +agent +\d+/);
      expect(shown.stdout).toMatch(new RegExp(`CONVERSATION +MACHINE +RUNTIME +LEASE[^]+${conversation} .* \\d\\.\\d s$`, "m"));
    });
  });

  it("goes on after its server was killed and started again; what the server held in memory only is made anew", async () => {
    const folder = makeFolder("server");
    const server = await openServer({ folder });
    const other = await openRig(server.address);
    try {
      await other.runtime();
      const host = await other.host();
      const { conversation } = fresh();
      await expectGoesOn(host, conversation);
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      await openServer({ folder, port: Number(new URL(server.address).port) });
      await expectGoesOn(host, conversation);
      host.send({ id: "anew", kind: "subscribe", conversationId: conversation });
      await expect.poll(() => endsOf(host, "anew"), { timeout: 30_000 }).toMatchObject([{ type: expect.any(String) }]);
      expect(JSON.stringify(await load(host, conversation)).match(/2\+2/g)).toHaveLength(4);
      await host.close();
    } finally {
      await other.close();
    }
  });

  it("is not for those whom the server does not know: both ends say so, and end", async () => {
    const { address: closed } = await openServer({ more: 'authorization { token: "harbour" }' });
    const outcomes = await Promise.all([
      runHawser(["agent", "--fleet", closed, "--model", "offline", "--root", rig.folder]),
      runHawser(["fleet", "host", "--fleet", closed]),
      runHawser(["chat", "--fleet", closed, "hello"]),
      runHawser(["chat", "--fleet", closed, "--root", rig.folder, "hello"]),
      runHawser(["agent", "--fleet", closed, "--no-history"]),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    for (const { stderr } of outcomes.slice(0, 3)) expect(stderr).toContain("does not take these credentials");
    expect(outcomes[3]?.stderr).toContain("--root is for the runtime");
    expect(outcomes[4]?.stderr).toContain("leave out --no-history");
  });
});
