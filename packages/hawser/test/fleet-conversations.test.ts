// Conversations that survive their machine, with real processes: whatever dies, every request has one end, no tool runs twice, nothing
// that was acknowledged is lost, and the next message works.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
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
  return host.lines.flatMap((line) => (line.id === id && line.type === "conversation" ? (line["data"] as { messages: unknown[] }).messages : []));
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
});
