// Carries MCP over HTTP to bridge processes, one for each session, for a suite that speaks nothing else. Requests are answered
// with JSON; what the bridge says by itself goes to the session's event stream, or waits until there is one.

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ServerConfig } from "../../packages/hawser/test/expose-session.ts";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

interface Session {
  readonly bridge: ChildProcess;
  /** Sends a message; resolves with the answer where one is due. */
  send(message: Message): Promise<string | undefined>;
  /** Where notifications go from now on. */
  listen(stream: ServerResponse): void;
}

export interface Relay {
  readonly url: string;
  close(): void;
}

export async function startRelay(config: ServerConfig): Promise<Relay> {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    // Pages of other sites reach a server on this machine under a name of their own.
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "")) return response.writeHead(403).end();
    return void answer(request, response, sessions, config).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
      for (const { bridge } of sessions.values()) bridge.stdin?.end();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, Session>,
  config: ServerConfig,
): Promise<void> {
  const given = String(request.headers["mcp-session-id"] ?? "");
  const message = request.method === "POST" ? (JSON.parse(await text(request)) as Message) : {};
  const id = message.method === "initialize" ? randomUUID() : given;
  const session = message.method === "initialize" ? startSession(config) : sessions.get(given);
  if (!session) return void response.writeHead(given === "" ? 400 : 404).end();
  sessions.set(id, session);
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return session.listen(response);
  }
  if (request.method === "DELETE") {
    session.bridge.stdin?.end();
    sessions.delete(id);
    return void response.writeHead(200).end();
  }
  const result = await session.send(message);
  response.writeHead(result === undefined ? 202 : 200, { "content-type": "application/json", "mcp-session-id": id }).end(result);
}

function startSession({ command, args }: ServerConfig): Session {
  const bridge = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<unknown, (line: string) => void>();
  const unsent: string[] = [];
  let stream: ServerResponse | undefined;
  createInterface(bridge.stdout).on("line", (line) => {
    const { id, method } = JSON.parse(line) as Message;
    if (method === undefined) return waiting.get(id)?.(line);
    const event = `event: message\ndata: ${line}\n\n`;
    if (stream) stream.write(event);
    else unsent.push(event);
  });
  return {
    bridge,
    async send(message) {
      const answered = new Promise<string>((resolve) => waiting.set(message.id, resolve));
      bridge.stdin.write(`${JSON.stringify(message)}\n`);
      return message.id === undefined || message.method === undefined ? undefined : answered;
    },
    listen(opened) {
      stream = opened;
      for (const event of unsent.splice(0)) opened.write(event);
    },
  };
}
