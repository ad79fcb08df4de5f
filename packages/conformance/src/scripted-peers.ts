// The peers that we play: the parent behind a bridge, on a socket, and the HTTP API behind an rpc server, on loopback. Both answer each
// request as the scenario says, and remember it.
//
// The parent watches for what every scenario forbids: a second request on a connection before the first was answered, a frame that can't
// be read, a request without an answer in the scenario.
//
// The API answers such a request with a 404. An answer's `send` is {status, headers, body}: a body that isn't a string goes out as JSON,
// and `{port}` in a header stands for our port. `sendBytes` are a whole response, head included; the connection takes no further request.

import { chmodSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, createServer, type AddressInfo, type ListenOptions, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { lengthPrefix, SOCKET_PERMISSIONS } from "@hawser/wire/internal/node";
import { excerptOfText } from "./excerpt.ts";
import type { MatchContext } from "./matchers.ts";
import { fillIn, findMismatch } from "./pattern.ts";
import { cut, toBytes } from "./pieces.ts";
import type { Answer } from "./scenario.ts";

const maxRequests = 10_000;
const chunkPauseMs = 3;

const startListening = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject).listen(options, resolve);
  });

const stopListening = (server: Server, endConnections: () => void): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    endConnections();
  });

/** The first answer that fits. What its pattern binds is in the context. */
const findAnswer = (answers: readonly Answer[], request: unknown, context: MatchContext): Answer | undefined =>
  answers.find(({ when }) => findMismatch(when, request, context) === undefined);

/** Sends the bytes as the answer says. `onLast` is called right before the last of them. */
async function sendChunks(socket: Socket, bytes: Buffer, { chunkBytes, close }: Answer, onLast?: () => void): Promise<void> {
  const chunks = [...cut(bytes, chunkBytes ?? Math.max(bytes.length, 1))];
  for (const [position, chunk] of chunks.entries()) {
    if (position > 0) await sleep(chunkPauseMs);
    if (position === chunks.length - 1) onLast?.();
    if (socket.writable) socket.write(chunk);
  }
  if (close) socket.destroySoon();
}

// --- the parent

interface Script {
  readonly answers: readonly Answer[];
  readonly requests: unknown[];
  readonly faults: string[];
}

export async function listenParent(path: string, answers: readonly Answer[]) {
  const script: Script = { answers, requests: [], faults: [] };
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(socket, script);
  });
  await startListening(server, { path, exclusive: true });
  chmodSync(path, SOCKET_PERMISSIONS);
  return {
    facts: () => ({ connections, open: sockets.size, requests: [...script.requests] }),
    faults: script.faults,
    close: () => stopListening(server, () => sockets.forEach((socket) => socket.destroy())),
  };
}

function serveConnection(socket: Socket, script: Script): void {
  const decoder = lengthPrefix.createDecoder();
  let unanswered: string | undefined;

  function fault(words: string): void {
    script.faults.push(words);
    socket.destroy();
  }

  function receive(request: unknown, text: string): void {
    if (unanswered !== undefined) {
      return fault(
        `a second request on a connection before the first was answered: ${excerptOfText(text)} while ${excerptOfText(unanswered)} waits`,
      );
    }
    unanswered = text;
    const context: MatchContext = { bindings: new Map(), index: 0, text };
    const answer = findAnswer(script.answers, request, context);
    if (!answer || script.requests.length === maxRequests) return fault(`a request that nothing asked for: ${excerptOfText(text)}`);
    if (!answer.aside) script.requests.push(request);
    const { send, sendBytes = [], afterMs = 0 } = answer;
    const bytes = send === undefined || answer.sendBytes ? toBytes(sendBytes) : lengthPrefix.encode(fillIn(send, context));
    // From the last byte on the bridge may send its next request.
    const onLast = (): void => void (unanswered = undefined);
    // Never at once: what came in the same moment as this request was sent before it was answered.
    setTimeout(() => void sendChunks(socket, bytes, answer, onLast), afterMs);
  }

  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    for (const item of decoder.push(chunk)) {
      if (item.kind === "message") receive(item.value, item.text);
      else fault(`a frame that can't be read (${item.error.message}): ${excerptOfText(item.head)}`);
    }
  });
}

// --- the API

/** A request as a scenario's patterns see it. */
interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface ScriptedApi {
  readonly url: string;
  facts(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Counts {
  readonly requests: ApiRequest[];
  running: number;
  mostRunning: number;
  dropped: number;
}

const notFound: Answer = { when: {}, send: { status: 404, body: { error: "no such path" } } };

/** With `isListening` false its address has no listener. */
export async function listenApi(answers: readonly Answer[], isListening: boolean): Promise<ScriptedApi> {
  const counts: Counts = { requests: [], running: 0, mostRunning: 0, dropped: 0 };
  const server = createHttpServer((request, response) => void serve(request, response, answers, counts).catch(() => response.destroy()));
  // A client that reuses an idle connection at the moment we end it would look faulty.
  server.keepAliveTimeout = 0;
  await startListening(server, { port: 0, host: "127.0.0.1" });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${isListening ? port : await takeSilentPort(port)}`,
    facts: () => ({ ...counts, requests: [...counts.requests], count: counts.requests.length }),
    close: () => stopListening(server, () => server.closeAllConnections()),
  };
}

/** The near end of a connection to ours: it has no listener, and while it is open no other program gets the port. */
async function takeSilentPort(port: number): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  // The other end closes it with the server.
  socket.on("error", () => {}).resume();
  return socket.localPort ?? port;
}

async function serve(message: IncomingMessage, response: ServerResponse, answers: readonly Answer[], counts: Counts): Promise<void> {
  const request = await readRequest(message);
  const context: MatchContext = { bindings: new Map(), index: 0, text: "" };
  const answer = findAnswer(answers, request, context) ?? notFound;
  if (!answer.aside && counts.requests.length < maxRequests) counts.requests.push(request);
  counts.mostRunning = Math.max(counts.mostRunning, ++counts.running);
  let isAnswered = false;
  response.once("close", () => {
    counts.running--;
    if (!isAnswered) counts.dropped++;
  });
  const { send, sendBytes = [], afterMs } = answer;
  if (afterMs !== undefined) await sleep(afterMs);
  if (response.destroyed) return;
  isAnswered = send !== undefined || answer.sendBytes !== undefined || answer.close === true;
  if (send !== undefined) respond(response, fillIn(send, context) as ScriptedResponse);
  else if (response.socket) await sendChunks(response.socket, toBytes(sendBytes), answer);
}

async function readRequest(message: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const [path = "", ...query] = (message.url ?? "").split("?");
  const body = Buffer.concat(chunks).toString("utf8");
  return { method: message.method ?? "", path, query: query.join("?"), headers: { ...message.headers }, body };
}

function respond(response: ServerResponse, { status = 200, headers = {}, body = "" }: ScriptedResponse): void {
  const port = String(response.socket?.localPort);
  const isText = typeof body === "string";
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll("{port}", port)]);
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...Object.fromEntries(filled) });
  response.end(isText ? body : JSON.stringify(body));
}
