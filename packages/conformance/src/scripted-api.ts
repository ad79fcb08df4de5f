// The HTTP API that we play for an rpc server: listens on loopback, answers each request as the
// scenario says, and remembers what came. What no answer is for gets a 404, as from any API.
//
// An answer's `send` is {status, headers, body}: a body that isn't a string goes out as JSON, and `{port}`
// in a header stands for our port. `sendBytes` are the bytes of a whole response, head included; the
// connection takes no further request after them.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fillIn, findMismatch } from "./pattern.ts";
import { cut, toBytes } from "./pieces.ts";
import type { Answer } from "./scenario.ts";

/** A request as a scenario's patterns see it. */
export interface ApiRequest {
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

const maxRequests = 10_000;
const chunkPauseMs = 3;
const notFound: Answer = { when: {}, send: { status: 404, body: { error: "no such path" } } };

/** With `isListening` false its address has no listener. */
export async function listenApi(answers: readonly Answer[], isListening: boolean): Promise<ScriptedApi> {
  const counts: Counts = { requests: [], running: 0, mostRunning: 0, dropped: 0 };
  const server = createServer((request, response) => void serve(request, response, answers, counts).catch(() => response.destroy()));
  // A client that uses an idle connection in the moment in which we end it would look faulty.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${isListening ? port : await takeSilentPort(port)}`,
    facts: () => ({ ...counts, requests: [...counts.requests], count: counts.requests.length }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The near end of a connection to ours: it has no listener, and as long as it is open no other program gets the port. */
async function takeSilentPort(port: number): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  // The other end closes it with the server.
  socket.on("error", () => {}).resume();
  return socket.localPort ?? port;
}

async function serve(message: IncomingMessage, response: ServerResponse, answers: readonly Answer[], counts: Counts): Promise<void> {
  const request = await readRequest(message);
  const bindings = new Map<string, unknown>();
  const context = { bindings, index: 0, text: "" };
  const answer = answers.find(({ when }) => findMismatch(when, request, context) === undefined) ?? notFound;
  if (!answer.aside && counts.requests.length < maxRequests) counts.requests.push(request);
  counts.mostRunning = Math.max(counts.mostRunning, ++counts.running);
  let isAnswered = false;
  response.once("close", () => {
    counts.running--;
    if (!isAnswered) counts.dropped++;
  });
  if (answer.afterMs !== undefined) await sleep(answer.afterMs);
  if (response.destroyed) return;
  isAnswered = answer.send !== undefined || answer.sendBytes !== undefined || answer.close === true;
  if (answer.send !== undefined) respond(response, fillIn(answer.send, context) as ScriptedResponse);
  else await respondRaw(response, answer);
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

async function respondRaw(response: ServerResponse, { sendBytes, chunkBytes, close }: Answer): Promise<void> {
  const { socket } = response;
  const bytes = sendBytes === undefined ? Buffer.alloc(0) : toBytes(sendBytes);
  for (const [position, chunk] of [...cut(bytes, chunkBytes ?? Math.max(bytes.length, 1))].entries()) {
    if (position > 0) await sleep(chunkPauseMs);
    if (socket?.writable) socket.write(chunk);
  }
  if (close) socket?.destroySoon();
}
