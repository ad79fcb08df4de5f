// MCP servers behind an address, on loopback: Streamable HTTP of both eras, cancellation, lost sessions and
// connections, and answers that are too large or never come.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { wireLimits } from "@hawser/wire";
import { freeHost } from "../free-address.ts";
import { legacy, modern, serveHttp, type HttpServer } from "../fixtures/mcp-http.ts";
import { openStage, type Stage } from "./stage.ts";

const waitOptions = { timeout: 40_000, interval: 20 };

const open = (http: HttpServer, headers?: Record<string, string>): Promise<Stage> =>
  openStage({ harbour: { type: "http", url: http.url, ...(headers && { headers }) } }, { env: { HARBOUR_KEY: "canary-header-1" } });

/** Answers by hand: lists one tool, and gives calls to `onCall`. */
const scripted =
  (onCall: (id: number) => Response) =>
  async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as { id?: number; method: string };
    const results: Record<string, object> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "scripted", version: "1" } },
      "tools/list": { tools: [{ name: "one", inputSchema: { type: "object" } }] },
    };
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "tools/call") return onCall(id);
    const result = results[method];
    return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32_601, message: "method not found" } }) });
  };

const eventStream = (body: string | ReadableStream): Response => new Response(body, { headers: { "content-type": "text/event-stream" } });

describe("MCP servers over Streamable HTTP", () => {
  it.each([
    ["the latest protocol", () => modern()],
    ["the protocol with sessions", () => legacy().handler],
  ])("of %s list and run their tools, with the headers of the configuration", async (_, handler) => {
    await using http = await serveHttp(handler());
    await using stage = await open(http, { "x-harbour-key": "Key ${HARBOUR_KEY}" });
    expect(stage.servers.status()).toEqual([{ name: "harbour", state: "connected" }]);
    expect(await stage.call("harbour__echo", { value: "ahoy" })).toBe("ahoy");
    expect(await stage.call("harbour__structured")).toEqual({ knots: 7 });
    await expect(stage.call("harbour__fails")).rejects.toMatchObject({ code: "tool_failed", message: /no wind/ });
    expect(http.requests.every(({ headers }) => headers.get("x-harbour-key") === "Key canary-header-1")).toBe(true);
  });

  it.each([
    ["the latest protocol", () => modern()],
    ["the protocol with sessions", () => legacy().handler],
  ])("of %s are told of a cancelled call, and answer the next one", async (_, handler) => {
    await using http = await serveHttp(handler());
    await using stage = await open(http);
    const file = join(stage.folder, "waits");
    const controller = new AbortController();
    const waiting = stage.call("harbour__waits", { file }, { signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(`${file}.started`)).toBe(true), waitOptions);
    controller.abort(new TypeError("the user said stop"));
    await expect(waiting).rejects.toThrow("the user said stop");
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).toBe("cancelled"), waitOptions);
    expect(await stage.call("harbour__echo", { value: "still here" })).toBe("still here");
  });

  it("that forget the session are connected to again by the next call", async () => {
    const server = legacy();
    await using http = await serveHttp(server.handler);
    await using stage = await open(http);
    server.forget();
    await expect(stage.call("harbour__echo", { value: "a" })).rejects.toMatchObject({ code: "connection_lost" });
    expect(await stage.call("harbour__echo", { value: "b" })).toBe("b");
  });

  it("that are gone answer calls with a clear error, and are used again when they are back", async () => {
    const http = await serveHttp(modern(), { host: freeHost });
    await using stage = await open(http);
    await http.stop();
    await expect(stage.call("harbour__echo", { value: "a" })).rejects.toMatchObject({
      code: "connection_lost",
      message: /MCP server "harbour": is lost: .*ECONNREFUSED/,
    });
    await using _back = await serveHttp(modern(), { host: freeHost, port: Number(new URL(http.url).port) });
    expect(await stage.call("harbour__echo", { value: "b" })).toBe("b");
  });

  it("that refuse us fail with what they say, and without our secret", async () => {
    await using http = await serveHttp((request) => new Response(`who is ${request.headers.get("authorization")}?`, { status: 403 }));
    await using stage = await open(http, { authorization: "Bearer ${HARBOUR_KEY}" });
    expect(stage.servers.status()).toMatchObject([{ state: "failed", reason: /403.*who is \[redacted\]/ }]);
    expect(stage.notices.join("\n")).not.toContain("canary-header-1");
  });

  it("that never answer the end of a session do not keep us from closing", async () => {
    const { handler } = legacy();
    await using http = await serveHttp((request) => (request.method === "DELETE" ? new Promise<Response>(() => {}) : handler(request)));
    await using stage = await open(http);
    await stage.servers.close();
    expect(http.requests.at(-1)?.method).toBe("DELETE");
  });

  it("of the older kind with two addresses (`sse`) work as well, also if they send what isn't a message", async () => {
    let push: ((text: string) => void) | undefined;
    const stream = (): Response => {
      const encoder = new TextEncoder();
      const start = (controller: ReadableStreamDefaultController): void => {
        push = (text) => controller.enqueue(encoder.encode(text));
        push("event: endpoint\ndata: /messages\n\n");
      };
      return eventStream(new ReadableStream({ start }));
    };
    const answer = scripted((id) => Response.json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ok" }] } }));
    await using http = await serveHttp(async (request) => {
      if (request.method === "GET") return stream();
      const response = await answer(request);
      push?.("event: message\ndata: garbage\n\nevent: message\ndata: {}\n\nevent: other\ndata: x\n\n");
      if (response.status === 200) push?.(`event: message\ndata: ${await response.text()}\n\n`);
      return new Response(null, { status: 202 });
    });
    await using stage = await openStage({ old: { type: "sse", url: http.url } });
    for (let count = 0; count < 2; count++) expect(await stage.call("old__one")).toBe("ok");
  });

  it.each(["not JSON", "[]", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":99999,"result":{}}', "42", ""])(
    "R132 that send an event that isn't a message, %j, keep their connection and their calls",
    async (garbage) => {
      const answer = (id: number): string =>
        `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: `ok ${id}` }] } })}\n\n`;
      await using http = await serveHttp(scripted((id) => eventStream(`data: ${garbage}\n\n${answer(id)}`)));
      await using stage = await open(http);
      expect(await stage.call("harbour__one")).toMatch(/^ok/);
      expect(await stage.call("harbour__one")).toMatch(/^ok/);
      expect(stage.servers.status()).toMatchObject([{ state: "connected" }]);
    },
  );

  it("that end their stream before the answer end the call, which nobody would answer any more", async () => {
    await using http = await serveHttp(scripted(() => eventStream(": nothing\n\n")));
    await using stage = await open(http);
    await expect(stage.call("harbour__one")).rejects.toThrow("the server ended its stream before the answer");
  });

  it.each([
    ["as JSON", (chunk: string) => new Response(endless(chunk), { headers: { "content-type": "application/json" } })],
    ["as an event", (chunk: string) => eventStream(endless(`data: ${chunk}\n`))],
  ])("G15 that answer without end, %s, are cut off at the limit", async (_, respond) => {
    await using http = await serveHttp(scripted(() => respond("x".repeat(65_536))));
    await using stage = await open(http);
    await expect(stage.call("harbour__one")).rejects.toThrow(`larger than ${wireLimits.maxMessageBytes} bytes`);
  });

  it("may send many events before the answer: each is bounded, not their sum", async () => {
    const note = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "y".repeat(1_000_000) } })}\n\n`;
    const answer = (id: number): string =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ok" }] } })}\n\n`;
    await using http = await serveHttp(scripted((id) => eventStream(`${note.repeat(12)}${answer(id)}`)));
    await using stage = await open(http);
    expect(await stage.call("harbour__one")).toBe("ok");
  });
});

function endless(chunk: string): ReadableStream {
  const bytes = new TextEncoder().encode(chunk);
  return new ReadableStream({ pull: (controller) => controller.enqueue(bytes) });
}
