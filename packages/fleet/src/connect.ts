// The connection to the fleet's servers. A password never comes from the command line, where other users can read it, but from
// a file that only its owner may read. A lost server is tried again for ever; what was sent meanwhile waits, as NATS has it.

import { readFileSync, statSync } from "node:fs";
import { connect, credsAuthenticator, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { describeThrown, HawserError } from "@hawser/protocol";
import { logLine } from "@hawser/wire/internal/node";
import { toFleetError } from "./fault.ts";
import { fleetLimits } from "./limits.ts";

export interface FleetAddress {
  /** One or more addresses of servers, with commas between them: `nats://host:4222` or `tls://host:4222`. */
  readonly servers: string;
  /** A file: NATS credentials (`.creds`), or one line `user:password`, or one line with a token. */
  readonly credentials?: string | undefined;
  /** Files in PEM: who signs the server's certificate, and who we are. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export type Fleet = Awaited<ReturnType<typeof connectFleet>>;

/** Throws `usage` for an address or a file that can't be used, and `connection_failed` when no server answers. */
export async function connectFleet(address: FleetAddress, name: string) {
  const servers = checkServers(address.servers);
  const shown = servers.join(",");
  const usesTls = servers.some((server) => server.startsWith("tls:")) || address.ca !== undefined;
  const connection = await connect({
    servers,
    name,
    timeout: fleetLimits.fleetConnectMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: fleetLimits.fleetReconnectMs,
    ...(address.credentials !== undefined && readCredentials(address.credentials)),
    ...(usesTls && { tls: readTls(address) }),
  }).catch((error: unknown) => {
    throw toFleetError(error, shown);
  });
  if (address.credentials !== undefined && !usesTls && !servers.every(isLoopback))
    logLine(`[hawser] fleet: credentials travel to ${shown} unprotected; use tls://`);
  void watch(connection, shown);
  return {
    connection,
    /** For messages. */
    servers: shown,
    /** What one message may hold, as the server says. */
    get maxPayload(): number {
      return connection.info?.max_payload ?? 1_048_576;
    },
    /** Says something that needs no answer. When the connection is closed there is no one left to tell. */
    say(subject: string, payload = "", reply?: string, headers?: MsgHdrs): void {
      if (!connection.isClosed())
        connection.publish(subject, payload, { ...(reply !== undefined && { reply }), ...(headers && { headers }) });
    },
    close: () => connection.close(),
  };
}

/** A server that is lost, and one that is there again, are told once each. */
async function watch(connection: NatsConnection, servers: string): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === "disconnect") logLine(`[hawser] fleet: lost the server at ${status.server}; trying again`);
    if (status.type === "reconnect") logLine(`[hawser] fleet: connected to ${status.server} again`);
    if (status.type === "error") logLine(`[hawser] fleet: ${toFleetError(status.error, servers).message}`);
  }
}

function checkServers(text: string): string[] {
  const servers = text.split(",").map((server) => server.trim());
  for (const server of servers) {
    const url = URL.canParse(server) ? new URL(server) : undefined;
    if (url?.protocol !== "nats:" && url?.protocol !== "tls:")
      throw new HawserError("usage", "the address of a fleet begins with nats:// or tls://, e.g. nats://127.0.0.1:4222");
    if (url.username || url.password)
      throw new HawserError(
        "usage",
        "the address of a fleet holds a name or password, which other users can read; put it into a file and name that with --fleet-credentials",
      );
  }
  return servers;
}

const isLoopback = (server: string): boolean => ["127.0.0.1", "localhost", "[::1]"].includes(new URL(server).hostname);

type Credentials = { authenticator: ReturnType<typeof credsAuthenticator> } | { user: string; pass: string } | { token: string };

function readCredentials(path: string): Credentials {
  const bytes = readFile(path, "credentials");
  if ((statSync(path).mode & 0o077) !== 0 && process.platform !== "win32")
    throw new HawserError("usage", `other users may read the credentials in ${path}; run: chmod 600 ${path}`);
  const text = bytes.toString("utf8");
  if (text.includes("-----BEGIN NATS USER JWT-----")) return { authenticator: credsAuthenticator(bytes) };
  const line = text.trim();
  if (line === "" || line.includes("\n"))
    throw new HawserError("usage", `${path} holds no credentials: neither a NATS .creds file nor one line user:password`);
  const colon = line.indexOf(":");
  return colon === -1 ? { token: line } : { user: line.slice(0, colon), pass: line.slice(colon + 1) };
}

function readTls({ ca, cert, key }: FleetAddress) {
  return {
    ...(ca !== undefined && { ca: readFile(ca, "certificate authority").toString("utf8") }),
    ...(cert !== undefined && { cert: readFile(cert, "certificate").toString("utf8") }),
    ...(key !== undefined && { key: readFile(key, "key").toString("utf8") }),
  };
}

function readFile(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new HawserError("usage", `can't read the fleet's ${what} from ${path}: ${describeThrown(cause)}`, { cause });
  }
}
