// The demo API: an HTTP server on loopback with its own OpenAPI document, to try every command of the gateway on. Bodies,
// waiting requests and everything it remembers are bounded.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describeThrown, HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";
import { wireLimits } from "@hawser/wire";
import { demoDocument } from "./document.ts";
import { demoRoutes, failure, type DemoAnswer, createDemoState, type DemoState } from "./routes.ts";

export interface DemoApiOptions {
  /** A free one unless given. */
  readonly port?: number | undefined;
  /** A random one unless given. */
  readonly token?: string | undefined;
}

export interface DemoApi {
  /** The origin, without a trailing slash. */
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Listens on 127.0.0.1 only. Rejects with `usage` when the port is taken. */
export async function startDemoApi(options: DemoApiOptions = {}): Promise<DemoApi> {
  const { token = `demo-${randomBytes(12).toString("hex")}`, port = 0 } = options;
  const demo = { state: createDemoState(), token, url: "" };
  const server = createServer((request, response) => void handle(demo, request, response));
  server.maxConnections = wireLimits.maxConnections;
  await listen(server, port);
  demo.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: demo.url,
    token,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Demo {
  readonly state: DemoState;
  readonly token: string;
  readonly url: string;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new HawserError("usage", `can't listen on port ${port}: ${describeThrown(cause)}; choose another`, { cause })),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** Never rejects. */
async function handle(demo: Demo, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answer = await answerTo(demo, request, gone.signal).catch((error: unknown) =>
    HawserError.isInstance(error) && error.code === "overloaded" ? failure(507, error.message) : failure(500, describeThrown(error)),
  );
  if (gone.signal.aborted) return;
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(request.method === "HEAD" ? undefined : JSON.stringify(answer.body));
}

async function answerTo(demo: Demo, request: IncomingMessage, signal: AbortSignal): Promise<DemoAnswer> {
  const url = new URL(request.url ?? "/", demo.url);
  if (url.pathname === "/openapi.json" || url.pathname === "/openapi") return { status: 200, body: demoDocument(demo.url) };
  // An address that is not ours means that a page in a browser was made to ask.
  if (request.headers.host !== new URL(demo.url).host) return failure(421, "this address is not served here");
  if (!isToken(request.headers["x-ignition-api-token"], demo.token)) return failure(401, "the token is missing or wrong");
  const body = await readBody(request);
  if (body === undefined) return failure(413, `the demo takes bodies up to ${gatewayLimits.demoBodyBytes} bytes`);
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const { template, name } = toTemplate(url.pathname);
  const route = demoRoutes[`${method} ${template}`];
  if (route) return route({ url, body, signal }, demo.state, name);
  const isKnown = Object.keys(demoRoutes).some((key) => key.endsWith(` ${template}`));
  return isKnown ? failure(405, `${method} is not possible here`) : failure(404, "there is nothing here; /openapi.json says what there is");
}

const tagFolder = "/data/api/v1/tags/";

function toTemplate(path: string): { template: string; name: string } {
  if (!path.startsWith(tagFolder) || path.length === tagFolder.length) return { template: path, name: "" };
  try {
    return { template: `${tagFolder}{name}`, name: decodeURIComponent(path.slice(tagFolder.length)) };
  } catch {
    return { template: path, name: "" };
  }
}

// Digests have one length, and comparing them takes one time.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const isToken = (given: string | string[] | undefined, token: string): boolean =>
  typeof given === "string" && timingSafeEqual(digest(given), digest(token));

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // The rest is read and forgotten: a client that is still sending reads no answer.
    if (bytes <= gatewayLimits.demoBodyBytes) chunks.push(chunk);
  }
  return bytes > gatewayLimits.demoBodyBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}
