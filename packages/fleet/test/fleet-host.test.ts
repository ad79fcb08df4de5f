// What a host of a fleet hears of its requests, with a real server and a runtime that says what the test lets it say.

import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createMemoryPair, type Incoming } from "@hawser/wire";
import { openFleetHost } from "../src/conversations/fleet-host.ts";
import { createRuntimeHub } from "../src/conversations/runtime-hub.ts";
import { fleetLimits } from "../src/limits.ts";
import { openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";

type Line = Record<string, unknown> & { readonly id: string; readonly kind: string };

beforeEach(skipWithoutServer);

/** A host and a runtime of one fleet. `answer` gets each line that reaches the runtime, which opens no conversation before `opening`. */
async function openPair(answer: (line: Line, say: (response: object) => void) => void, opening?: Promise<void>) {
  const server = await openServer();
  const fleet = await openFleet(server);
  /** `lines`: then its input ends. */
  const host = async (lines = Infinity) => {
    const [program, transport] = createMemoryPair();
    async function* readLines(): AsyncGenerator<Incoming> {
      let count = 0;
      for await (const item of transport.incoming) {
        yield item;
        if (++count === lines) return;
      }
    }
    const never = new AbortController().signal;
    const opened = await openFleetHost(await openFleet(server));
    const served = opened.serve({ ...transport, incoming: readLines() }, { stopping: never, cancelling: never });
    const heard: Record<string, unknown>[] = [];
    void (async () => {
      for await (const item of program.incoming) if (item.kind === "message") heard.push(item.value as Record<string, unknown>);
    })();
    return { ask: (request: object) => program.send(request), end: () => program.close(), heard, served };
  };
  const close = async (): Promise<void> => {};
  const open = async () => {
    await opening;
    return { isStale: false, messages: [], isUnfinished: () => false, close };
  };
  const hub = createRuntimeHub(fleet, { runtime: "puppet", open, epochOf: () => 1 });
  const say = (response: object): void => void hub.transport.send(response);
  void (async () => {
    for await (const item of hub.transport.incoming) if (item.kind === "message") answer(item.value as Line, say);
  })();
  say({ type: "ready" });
  await hub.begin();
  onTestFinished(() => hub.close());
  return { fleet, hub, host };
}

describe("a host of a fleet", () => {
  it("hears the end of each request, also of one whose id an earlier one had", async () => {
    const { host } = await openPair(({ id, kind }, say) => kind === "get_status" && say({ id, type: "status", data: { state: "idle" } }));
    const { ask, end, heard, served } = await host();
    for (const count of [1, 2, 3]) {
      await ask({ id: "s", kind: "get_status" });
      await expect.poll(() => heard.filter(({ id }) => id === "s")).toHaveLength(count);
    }
    await end();
    await served;
  });

  it("is answered anew where it sends a message under the id of one that has ended", async () => {
    const reached: string[] = [];
    const { host } = await openPair(({ id }, say) => {
      reached.push(id);
      say({ id, type: "token", token: String(reached.length), seq: 1 });
      say({ id, type: "done", seq: 2 });
    });
    const { ask, end, heard, served } = await host();
    for (const id of ["1", randomUUID()]) {
      for (const count of [1, 2, 3]) {
        await ask({ id, kind: "user_message", message: "count", metadata: { conversationId: "harbour" } });
        await expect.poll(() => heard.filter((line) => line["id"] === id && line["type"] === "done")).toHaveLength(count);
      }
      // Of other machines, too, none takes one of them for another.
      expect(new Set(reached.splice(0)).size).toBe(3);
    }
    expect(heard.filter(({ type }) => type === "token").map(({ token }) => token)).toEqual(["1", "2", "3", "1", "2", "3"]);
    await end();
    await served;
  });

  it("that follows a turn of which it was told that nothing is known hears it to its end", async () => {
    const usual = { ...fleetLimits };
    Object.assign(fleetLimits, { fleetAskMs: 100, fleetPatienceMs: -1 });
    onTestFinished(() => void Object.assign(fleetLimits, usual));
    const opening = Promise.withResolvers<void>();
    let goOn = (): void => {};
    const { host } = await openPair(({ id, kind }, say) => {
      if (kind !== "user_message") return;
      say({ id, type: "token", token: "so far", seq: 1 });
      goOn = () => [2, 3].forEach((seq) => say({ id, type: seq === 3 ? "done" : "token", seq }));
    }, opening.promise);
    const { ask, end, heard, served } = await host();
    await ask({ id: "1", kind: "user_message", message: "count", metadata: { conversationId: "harbour" } });
    await expect.poll(() => heard.find(({ type }) => type === "error")).toMatchObject({ id: "1", code: "unknown_outcome" });
    Object.assign(fleetLimits, usual);
    opening.resolve();
    // Until the runtime has begun with it.
    for (let data: unknown, count = 1; data === undefined; count++) {
      await ask({ id: `look ${count}`, kind: "subscribe", conversationId: "harbour" });
      await expect.poll(() => heard.find(({ id }) => id === `look ${count}`)).toBeDefined();
      data = heard.find(({ id }) => id === `look ${count}`)?.["data"];
    }
    goOn();
    await expect.poll(() => heard.filter(({ id }) => id === "1").map(({ seq }) => seq)).toEqual([undefined, 1, 2, 3]);
    await end();
    await served;
  });

  it("that subscribes and sends no more hears the end of it first; the same id twice at once is refused", async () => {
    const { host } = await openPair(() => {});
    const { ask, heard, served } = await host(2);
    const subscribe = { id: "look", kind: "subscribe", conversationId: "harbour" };
    await Promise.all([ask(subscribe), ask(subscribe)]);
    await served;
    expect(heard).toEqual([
      expect.objectContaining({ type: "ready" }),
      expect.objectContaining({ id: "look", type: "error", code: "duplicate_id" }),
      expect.objectContaining({ id: "look", type: "done" }),
    ]);
  });

  it("asks again for what only is read when nothing is heard of it, and for nothing else", async () => {
    const usual = { ...fleetLimits };
    Object.assign(fleetLimits, { fleetLookMs: 20, fleetQuietMs: -1 });
    onTestFinished(() => void Object.assign(fleetLimits, usual));
    const reached: string[] = [];
    const { host } = await openPair(({ id }, say) => {
      if (reached.includes(id)) say({ id, type: "done" });
      reached.push(id);
    });
    const { ask, end, heard, served } = await host();
    const conversationId = "harbour";
    await ask({ id: "files", kind: "list_files", conversationId, query: "" });
    await ask({ id: "folders", kind: "list_folders", path: "/" });
    await ask({ id: "rename", kind: "rename_conversation", conversationId, title: "Ships" });
    const endOf = (id: string) => heard.find((line) => line["id"] === id);
    await expect.poll(() => ["files", "folders", "rename"].map((id) => endOf(id)?.["type"])).toEqual(["done", "done", "error"]);
    expect(endOf("rename")).toMatchObject({ code: "connection_lost" });
    await end();
    await served;
  });

  it("sees its own ids wherever answers name requests: in the queue, in changes and in loaded messages", async () => {
    const kinds: Record<string, (id: string) => object> = {
      list_queue: (id) => ({ type: "queue", data: { requests: [{ id, message: "hi" }, { id: "theirs.1" }], steers: [] } }),
      list_changes: (id) => ({ type: "changes", data: { changes: [{ path: "a", requestId: id, undoes: [id, "theirs.1"] }] } }),
      load_conversation: (id) => ({
        type: "conversation",
        data: { messages: [{ requestId: id, parts: [{ input: { requestId: id } }] }, { role: "user" }] },
      }),
    };
    const { host } = await openPair(({ id, kind }, say) => {
      say({ id, ...kinds[kind]?.(id) });
      say({ id, type: "done" });
    });
    const { ask, end, heard, served } = await host();
    for (const [index, kind] of Object.keys(kinds).entries()) {
      await ask({ id: "1", kind, conversationId: "harbour" });
      await expect.poll(() => heard.filter(({ id, type }) => id === "1" && type === "done")).toHaveLength(index + 1);
    }
    expect(heard.filter(({ data }) => data !== undefined).map(({ data }) => data)).toEqual([
      { requests: [{ id: "1", message: "hi" }, { id: "theirs.1" }], steers: [] },
      { changes: [{ path: "a", requestId: "1", undoes: ["1", "theirs.1"] }] },
      // What a tool was given is not ours to change.
      { messages: [{ requestId: "1", parts: [{ input: { requestId: expect.stringMatching(/^.{36}\.1$/) } }] }, { role: "user" }] },
    ]);
    await end();
    await served;
  });
});
