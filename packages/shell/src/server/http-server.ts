// The local server: the page, the files dropped on it, and the upgrade to a WebSocket. Loopback only. Slow,
// long and idle requests are bounded by Node's own limits, set here.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describeThrown, errorTable, HawserError, limits, toHawserError } from "@hawser/wire";
import { createAccess, type Access } from "./access.ts";
import type { DroppedFiles } from "./dropped-files.ts";
import type { PageFile } from "./page-files.ts";
import { createRespond, jsonReply, textReply, type Reply } from "./respond.ts";
import type { Tabs } from "./tabs.ts";

export interface ShellServer {
  /** Carries the key. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface ShellServerOptions {
  readonly port: number;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly files: DroppedFiles;
  readonly tabs: Tabs;
  readonly requestMs?: number;
}

const host = "127.0.0.1";

/** Rejects with `usage` when the port can't be had. */
export async function startServer(options: ShellServerOptions): Promise<ShellServer> {
  const { requestMs = limits.shellRequestMs } = options;
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: 4 * requestMs,
    keepAliveTimeout: requestMs,
    // Node looks at these times only so often; its own half a minute would make them meaningless.
    connectionsCheckingInterval: requestMs / 10,
    maxHeaderSize: limits.shellHeadBytes,
  });
  server.maxConnections = 4 * limits.shellConnections;
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  const access = createAccess(port);
  const respond = createRespond(port);

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(request, access, options)
      .catch((error: unknown) => toFailedReply(error))
      .then((reply) => respond(response, reply))
      // A client that is gone needs no answer.
      .catch(() => response.destroy());
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const url = toUrl(request);
    const refusal = url ? access.refuse(request, url) : { status: 400, message: "" };
    if (!refusal && url?.pathname === "/link") options.tabs.connect(request, socket, head);
    else {
      // Half a connection is nobody's: Node no longer counts it, and would wait for it at the end.
      socket.once("finish", () => socket.destroy());
      socket.end(`HTTP/1.1 ${refusal?.status ?? 404} Refused\r\nConnection: close\r\n\r\n`);
    }
  });

  return {
    url: `http://${host}:${port}/?key=${access.key}`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void =>
      reject(
        new HawserError("usage", `port ${port} can't be used: ${describeThrown(cause)}; choose another with --port, or 0 for any`, {
          cause,
        }),
      );
    server.once("error", onError);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

async function answer(request: IncomingMessage, access: Access, { page, files }: ShellServerOptions): Promise<Reply> {
  const url = toUrl(request);
  if (!url) return textReply(400, "not an address");
  const refusal = access.refuse(request, url);
  if (refusal) return textReply(refusal.status, refusal.message, refusal.status === 405 ? { Allow: "GET, HEAD, POST" } : {});
  if (request.method === "POST") return url.pathname === "/files" ? keepFile(request, files) : textReply(404, "nothing takes this");
  const file = page.get(url.pathname) ?? (await files.read(url.pathname));
  if (!file) return textReply(404, "nothing is here");
  const cookie = url.pathname === "/" ? { "Set-Cookie": access.cookie } : {};
  return { status: 200, type: file.type, body: file.bytes, headers: cookie };
}

async function keepFile(request: IncomingMessage, files: DroppedFiles): Promise<Reply> {
  const name = request.headers["x-file-name"];
  if (typeof name !== "string") throw new HawserError("usage", "a file needs its name in the header x-file-name");
  return jsonReply(201, await files.keep(decodeName(name), request as AsyncIterable<Buffer>));
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function toFailedReply(thrown: unknown): Reply {
  const { code, message } = toHawserError(thrown);
  const status = code === "too_large" ? 413 : code === "overloaded" ? 507 : code === "usage" ? 400 : 500;
  return jsonReply(status, { error: `${errorTable[code].agentText}: ${message}` });
}

/** Only a path is one: whatever host a request line names, none is believed. */
function toUrl({ url = "" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") ? (URL.parse(`http://shell${url}`) ?? undefined) : undefined;
}
