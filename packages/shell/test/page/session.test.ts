// A whole session over a real WebSocket: it asks for what it misses, and sends what the user wants.

import { describe, expect, it } from "vitest";
import { createWebSocketLink } from "../../src/page/links/web-socket-link.ts";
import { createActions } from "../../src/page/session/actions.ts";
import { createSession, type Session } from "../../src/page/session/session.ts";
import { freeAccess, startPageServer, type Connection } from "./page-server.ts";

const capabilities = ["cancel", "permissions", "conversations", "models", "subscribe"];

function openSession(url: string, frameMs = 1): Session {
  return createSession({
    openLink: (events) => createWebSocketLink({ url, access: freeAccess, firstPauseMs: 5, ...events }),
    schedule: (flush) => void setTimeout(flush, frameMs),
    now: Date.now,
  });
}

function greet(connection: Connection, timestamp = 1): void {
  connection.tell({ kind: "state", state: { runtime: "running" } });
  connection.respond({ type: "ready", timestamp, capabilities, model: "offline" });
}

/** Answers what a session asks by itself, until a request of this kind comes. */
async function until(connection: Connection, kind: string): Promise<Record<string, unknown> & { readonly id: string }> {
  for (;;) {
    const request = (await connection.request()) as Record<string, unknown> & { readonly id: string };
    if (request["kind"] === kind) return request;
    const { id } = request;
    const common = { id, timestamp: 1 };
    if (request["kind"] === "get_status")
      connection.respond({ ...common, type: "status", data: { state: "idle", conversationLength: 0, uptime: 1 } });
    else {
      if (request["kind"] === "list_models") connection.respond({ ...common, type: "models", data: { models: [] } });
      if (request["kind"] === "list_conversations") connection.respond({ ...common, type: "conversations", data: { conversations: [] } });
      if (request["kind"] === "load_conversation")
        connection.respond({ ...common, type: "conversation", data: { conversationId: request["conversationId"], messages: [] } });
      connection.respond({ ...common, type: "done" });
    }
  }
}

describe("a session", () => {
  it("does not ask again and again for a conversation of which nothing comes", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    session.open("c1");
    const connection = await server.connection();
    greet(connection);
    const load = await until(connection, "load_conversation");
    connection.respond({ type: "done", id: load.id, timestamp: 1 });
    const subscribe = await until(connection, "subscribe");
    connection.respond({ type: "done", id: subscribe.id, timestamp: 1 });
    await expect.poll(() => session.store.getState().threads["c1"]?.load, { timeout: 30_000 }).toBe("failed");
    const loads = session.store.getState().wire.entries.filter(({ name }) => name === "load_conversation");
    expect(loads).toHaveLength(1);
    await session.close();
  });

  it("loads a conversation that it is opened with, and follows the turn that runs in it", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    session.open("c1");
    const connection = await server.connection();
    greet(connection);
    const load = await until(connection, "load_conversation");
    const messages = [{ messageId: "m1", role: "assistant", parts: [], timestamp: 1, requestId: "r1" }];
    connection.respond({ type: "conversation", id: load.id, timestamp: 1, data: { conversationId: "c1", messages } });
    connection.respond({ type: "done", id: load.id, timestamp: 1 });
    const subscribe = await until(connection, "subscribe");
    expect(subscribe).toMatchObject({ conversationId: "c1", since: 0 });
    connection.respond({ type: "token", id: "r1", token: "hi", seq: 1, timestamp: 1 });
    connection.respond({ type: "done", id: subscribe.id, timestamp: 1, data: { running: "r1" } });
    connection.respond({ type: "token", id: "r1", token: "!", seq: 2, timestamp: 1 });
    await expect
      .poll(() => session.store.getState().threads["c1"]?.messages[0]?.parts, { timeout: 30_000 })
      .toEqual([{ kind: "text", text: "hi!" }]);
    await session.close();
  });

  it("subscribes from where it was when the connection comes back in the middle of a turn", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    const conversationId = session.open();
    const first = await server.connection();
    greet(first);
    const wasSent = createActions(session).send("hello", []);
    const { id } = await until(first, "user_message");
    expect(await wasSent).toBe(true);
    first.respond({ type: "token", id, token: "one ", seq: 1, timestamp: 1 });
    await expect.poll(() => session.store.getState().turns[id]?.seq, { timeout: 30_000 }).toBe(1);
    first.drop();
    const second = await server.connection();
    greet(second);
    expect(await until(second, "subscribe")).toMatchObject({ conversationId, since: 1 });
    second.respond({ type: "token", id, token: "two", seq: 2, timestamp: 1 });
    const answer = () => session.store.getState().threads[conversationId]?.messages.find(({ role }) => role === "assistant")?.parts;
    await expect.poll(answer, { timeout: 30_000 }).toEqual([{ kind: "text", text: "one two" }]);
    await session.close();
  });

  it("says that a message was not sent when there was nobody to send it to", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    session.open();
    const connection = await server.connection();
    const wasSent = createActions(session).send("hello", []);
    connection.drop();
    expect(await wasSent).toBe(false);
    expect(session.store.getState().notices[0]?.text).toContain("was not sent");
    await session.close();
  });

  it("takes a turn that is over before the next frame for sent", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url, 150);
    session.open();
    const connection = await server.connection();
    greet(connection);
    await session.client.ready;
    const wasSent = createActions(session).send("hello", []);
    const { id } = await until(connection, "user_message");
    connection.respond({ type: "done", id, seq: 1, timestamp: 1 });
    expect(await wasSent).toBe(true);
    expect(session.store.getState().notices).toEqual([]);
    await session.close();
  });

  it("loads a conversation once, however slowly the page draws", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url, 50);
    session.open("c1");
    const connection = await server.connection();
    greet(connection);
    const load = await until(connection, "load_conversation");
    connection.respond({ type: "conversation", id: load.id, timestamp: 1, data: { conversationId: "c1", messages: [] } });
    connection.respond({ type: "done", id: load.id, timestamp: 1 });
    const subscribe = await until(connection, "subscribe");
    connection.respond({ type: "done", id: subscribe.id, timestamp: 1 });
    await expect.poll(() => session.store.getState().threads["c1"]?.load, { timeout: 30_000 }).toBe("done");
    const loads = () => session.store.getState().wire.entries.filter(({ name }) => name === "load_conversation").length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(loads()).toBe(1);
    await session.close();
  });

  it("cuts the conversation before the edited message, and then sends the new text with the old files", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    session.open("c1");
    const connection = await server.connection();
    greet(connection);
    const load = await until(connection, "load_conversation");
    const text = (messageId: string, role: string) => ({ messageId, role, parts: [{ type: "text", text: messageId }], timestamp: 1 });
    const edited = { ...text("m3", "user"), parts: [{ type: "attachment", path: "/a.png", mime: "image/png" }] };
    const messages = [text("m1", "user"), text("m2", "assistant"), edited, text("m4", "assistant")];
    connection.respond({ type: "conversation", id: load.id, timestamp: 1, data: { conversationId: "c1", messages } });
    connection.respond({ type: "done", id: load.id, timestamp: 1 });
    const shown = () => session.store.getState().threads["c1"]?.messages ?? [];
    await expect.poll(() => shown().length, { timeout: 30_000 }).toBe(4);
    const again = createActions(session).sendAgain(shown()[2]!, "better");
    const truncate = await until(connection, "truncate_conversation");
    expect(truncate).toMatchObject({ conversationId: "c1", after: "m2" });
    connection.respond({ type: "done", id: truncate.id, timestamp: 1 });
    expect(await until(connection, "user_message")).toMatchObject({
      message: "better",
      attachments: [{ path: "/a.png", mime: "image/png" }],
    });
    await again;
    expect(shown().map(({ messageId, role }) => messageId ?? role)).toEqual(["m1", "m2", "user", "assistant"]);
    await session.close();
  });

  it("shows an answer to a question that came too late as expired", async () => {
    await using server = await startPageServer();
    const session = openSession(server.url);
    session.open();
    const connection = await server.connection();
    greet(connection);
    const actions = createActions(session);
    void actions.send("write", []);
    const { id } = await until(connection, "user_message");
    const question = { permissionId: "p1", toolId: "t1", toolName: "write_file", input: {}, reason: "changes" };
    connection.respond({ type: "permission_request", id, seq: 1, timestamp: 1, data: question });
    await expect.poll(() => session.store.getState().turns[id]?.seq, { timeout: 30_000 }).toBe(1);
    const answered = actions.answer("p1", { decision: "allow", via: "click" });
    const response = await until(connection, "permission_response");
    connection.respond({ type: "error", id: response.id, error: "expired", timestamp: 1 });
    await answered;
    const state = session.store.getState();
    expect(state.threads[state.currentId]?.messages[1]?.parts[0]).toMatchObject({ permission: { decision: "expired" } });
    await session.close();
  });
});
