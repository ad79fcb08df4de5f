// The local server: the page, the exchange of a key for a credential, the files dropped on the page, and the
// upgrade to a WebSocket. Loopback only. Slow, long and idle requests are bounded by Node's own limits, set here.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describeThrown, HawserError } from "@hawser/protocol";
import { shellLimits } from "../limits.ts";
import { readSubprotocols } from "../link/page-frames.ts";
import { createRefusals, noCredential, type Refusal } from "./access.ts";
import { createAnswer, toFailedReply, toPath, type AnswerOptions } from "./answer.ts";
import { boundConnections } from "./connections.ts";
import { createCredentials, type Grant } from "./credentials.ts";
import { createRespond } from "./respond.ts";
import type { Tabs } from "./tabs.ts";

/** Where one page can be opened, once. */
export interface PageAddress {
  /** Carries a key in its fragment, which a browser sends to no server. */
  readonly url: string;
  /** Resolves when the key was exchanged. */
  readonly used: Promise<void>;
}

export type ShellServer = Awaited<ReturnType<typeof startServer>>;

export interface ShellServerOptions extends Pick<AnswerOptions, "page" | "files"> {
  readonly port: number;
  readonly tabs: Tabs;
  readonly requestMs?: number;
  /** For the person at the terminal. */
  onNotice(text: string): void;
}

const host = "127.0.0.1";

/** Rejects with `usage` when the port is not free. */
export async function startServer(options: ShellServerOptions) {
  const { tabs, onNotice } = options;
  const server = createOwnServer(options.requestMs ?? shellLimits.shellRequestMs);
  const { trust } = boundConnections(server);
  await listen(server, options.port);
  server.on("error", (error) => onNotice(`a connection can't be taken: ${describeThrown(error)}`));
  const { port } = server.address() as AddressInfo;
  const credentials = createCredentials({ onSecondUse: () => onNotice(secondUse) });
  const refuse = createRefusals(port);
  const answer = createAnswer({ ...options, credentials, refuse, trust });
  const respond = createRespond(port);

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    answer(request)
      .catch((error: unknown) => toFailedReply(error))
      .then((reply) => respond(response, reply))
      // A client that is gone needs no answer.
      .catch(() => response.destroy());
  });

  /** The grant of a page that opens its link, or why it is refused. */
  function admit(request: IncomingMessage): Grant | Refusal {
    const path = toPath(request);
    if (path === undefined) return { status: 400, message: "not an address" };
    const refusal = refuse(request, false);
    if (refusal) return refusal;
    if (path !== "/link") return { status: 404, message: "nothing is here" };
    return credentials.find(readSubprotocols(request.headers["sec-websocket-protocol"])) ?? noCredential;
  }

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const admitted = admit(request);
    if ("status" in admitted) return refuseUpgrade(socket, admitted);
    trust(request.socket);
    tabs.connect({ request, socket, head, grant: admitted });
  });

  return {
    port,
    newAddress(): PageAddress {
      const { key, used } = credentials.newAddressKey();
      return { url: `http://${host}:${port}/#key=${key}`, used };
    },
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const secondUse =
  "the key of an address was used a second time, so all pages that it has let in have lost their access: press Enter for a new address. If you did not open it twice yourself, someone else has seen it";

function createOwnServer(requestMs: number): Server {
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: 4 * requestMs,
    keepAliveTimeout: requestMs,
    // Node looks at these times only so often; its own half a minute would make them meaningless.
    connectionsCheckingInterval: requestMs / 10,
    maxHeaderSize: shellLimits.shellHeadBytes,
    // Even if NODE_OPTIONS says otherwise: a request that can be read in two ways is an attack.
    insecureHTTPParser: false,
  });
  server.maxConnections = shellLimits.shellStrangerEntries + 4 * shellLimits.shellConnections;
  return server;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ host, port, exclusive: true });
  await once(server, "listening").catch((cause: unknown) => {
    const message = `port ${port} can't be used: ${describeThrown(cause)}; choose another with --port, or 0 for any`;
    throw new HawserError("usage", message, { cause });
  });
}

function refuseUpgrade(socket: Duplex, { status }: Refusal): void {
  // Not left half open: Node no longer counts such a connection, and would wait for it at the end.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`);
}
