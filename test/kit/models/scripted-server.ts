// A loopback HTTP server that stands for a vendor's API: it answers each request with the next step of
// a script, in the vendor's form, and remembers what it was asked. It can do what a real one does on a
// bad day: errors, slow pieces, a cut in the middle, events that are none. No key, no network.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input?: unknown;
  /** The arguments as text, instead of `input`, for those that are not JSON; or the pieces of it. */
  readonly rawArguments?: string | readonly string[];
  /** The group of tools that it belongs to: only the Responses API has them. */
  readonly namespace?: string | undefined;
  /** A tool that takes text instead of an object, as only the Responses API has them: the text is `rawArguments`. */
  readonly isCustom?: boolean;
}

/** One answer that streams. Everything may be left out. */
export interface ScriptedAnswer {
  /** What it thinks before it speaks; the chat completions have it as `reasoning_content`. */
  readonly thought?: string;
  /** Pieces of text; a promise among them is awaited before the next piece is sent. A function makes them as they are taken. */
  readonly text?: string | readonly (string | Promise<unknown>)[] | (() => AsyncIterable<string>);
  readonly calls?: readonly ScriptedCall[];
  /** The reason for the end in the vendor's words; null: none is sent and the stream just ends. */
  readonly finish?: string | null;
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** After text and calls, before the end: "reset" destroys the connection, "end" closes it properly. */
  readonly cut?: "reset" | "end";
  /** Bytes sent as they are after text and calls: comments, broken events. */
  readonly raw?: string | (() => AsyncIterable<string | Buffer>);
  /** An error event of the vendor in the middle of the stream. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** An answer that is not a stream: an error, or anything else. */
export interface ScriptedFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON unless it is text. */
  readonly body?: unknown;
}

/** The connection is destroyed before any answer. */
export type ScriptedStep = ScriptedAnswer | ScriptedFailure | "hang up";

export interface ScriptedRequest {
  /** How many came before it. Ids of answers are made from it: some clients take two with the same id for one. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // Tests look into it without ceremony.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A list is answered in order; a request beyond its end gets status 400, which nobody tries again. */
export type Script = readonly ScriptedStep[] | ((request: ScriptedRequest, index: number) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedServer {
  /** The base URL in the form that the vendor's environment variable takes. */
  readonly url: string;
  readonly origin: string;
  readonly requests: readonly ScriptedRequest[];
  /** Answers whose client went away before their end. */
  readonly abandoned: number;
  readonly openConnections: number;
  close(): Promise<void>;
}

/** Writes one answer in the form of the API that was asked for. */
export type Dialect = (answer: ScriptedAnswer, request: ScriptedRequest, events: EventWriter) => Promise<void>;

export interface EventWriter {
  /** One server-sent event, waiting while the client does not read. */
  send(data: unknown, event?: string): Promise<void>;
  raw(bytes: string | Buffer): Promise<void>;
}

/** What a request for the list of models gets. */
export type ListModels = (request: Omit<ScriptedRequest, "index">) => ScriptedFailure | Promise<ScriptedFailure>;

/** Takes one key, and says of any other one, with its own words, what it was. */
export const takesKey =
  (key: string): ListModels =>
  ({ headers }) => {
    const given = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
    return given === key ? listOfModels : { status: 401, body: { error: { message: `Incorrect API key provided: ${String(given)}` } } };
  };

export interface DialectOptions {
  readonly dialect: Dialect;
  readonly basePath: string;
  readonly listModels?: ListModels | undefined;
}

export async function startScriptedServer(script: Script, { dialect, basePath, listModels }: DialectOptions): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const sockets = new Set<Socket>();
  let abandoned = 0;
  const server = createServer((incoming, response) => {
    response.on("close", () => {
      if (!response.writableFinished) abandoned += 1;
    });
    void serve(incoming, response).catch(() => response.destroy());
  });
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(incoming);
    if (read.method === "GET") return answerFailure(response, (await listModels?.(read)) ?? listOfModels);
    const index = requests.length;
    const request = { index, ...read };
    requests.push(request);
    const step = typeof script === "function" ? await script(request, index) : (script[index] ?? scriptIsOver);
    if (step === "hang up") response.destroy();
    else if ("status" in step) answerFailure(response, step);
    else await stream(step, request, response);
  }
  async function stream(answer: ScriptedAnswer, request: ScriptedRequest, response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    await dialect(answer, request, createEventWriter(response));
    if (answer.cut === "reset") response.destroy();
    else response.end();
  }
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}${basePath}`,
    origin,
    requests,
    get abandoned() {
      return abandoned;
    },
    get openConnections() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const scriptIsOver: ScriptedFailure = { status: 400, body: { error: { type: "invalid_request_error", message: "the script is over" } } };
const listOfModels: ScriptedFailure = {
  status: 200,
  body: {
    object: "list",
    data: [
      { id: "text-embed", object: "model" },
      { id: "scripted-model", object: "model" },
    ],
  },
};

function answerFailure(response: ServerResponse, { status, headers, body }: ScriptedFailure): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body ?? {}));
}

async function readRequest(incoming: IncomingMessage): Promise<Omit<ScriptedRequest, "index">> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { method: incoming.method ?? "", path: incoming.url ?? "", headers: incoming.headers, body };
}

function createEventWriter(response: ServerResponse): EventWriter {
  async function raw(bytes: string | Buffer): Promise<void> {
    if (response.destroyed) throw new Error("the client went away");
    if (response.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    response.once("drain", resolve).once("close", resolve);
    await promise;
    response.off("drain", resolve).off("close", resolve);
  }
  return {
    raw,
    send: (data, event) =>
      raw(`${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`),
  };
}

/** The text pieces of an answer one after the other, each when its turn has come. */
export async function* piecesOf(answer: ScriptedAnswer): AsyncGenerator<string> {
  const { text = [] } = answer;
  const pieces = typeof text === "function" ? text() : typeof text === "string" ? [text] : text;
  // Promises among them are awaited by the loop.
  for await (const piece of pieces) if (typeof piece === "string" && piece !== "") yield piece;
}

export async function sendRaw(answer: ScriptedAnswer, events: EventWriter): Promise<void> {
  if (typeof answer.raw === "string") await events.raw(answer.raw);
  else if (answer.raw !== undefined) for await (const bytes of answer.raw()) await events.raw(bytes);
}

export const argumentsOf = ({ rawArguments, input = {} }: ScriptedCall): readonly string[] =>
  typeof rawArguments === "object" ? rawArguments : [rawArguments ?? JSON.stringify(input)];
