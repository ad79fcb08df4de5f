// The connection to the fleet's servers. A password never comes from the command line, where other users can read it, but from
// a file that only its owner may read. A lost server is tried again for ever; what was sent meanwhile waits, as NATS has it.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  connect,
  createInbox,
  PermissionViolationError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/transport-node";
import { HawserError } from "@hawser/protocol";
import { logLine } from "@hawser/wire/internal/node";
import { readCredentials } from "./credentials.ts";
import { toFleetError } from "./fault.ts";
import { fleetLimits } from "./limits.ts";
import { drainSubject } from "./subjects.ts";
import { readTls } from "./tls.ts";

export interface FleetAddress {
  /** One or more addresses of servers, with commas between them: `nats://host:4222` or `tls://host:4222`. */
  readonly servers: string;
  /** A file: NATS credentials (`.creds`), or one line: `user:password`, the seed of a user's NKey, or a token. */
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
  const credentials = address.credentials === undefined ? undefined : readCredentials(address.credentials);
  const inboxPrefix = credentials?.user === undefined ? "_INBOX" : `_INBOX.${credentials.user}`;
  const tls = readTls(address, servers);
  const connection = await connect({
    servers,
    name,
    timeout: fleetLimits.fleetConnectMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: fleetLimits.fleetReconnectMs,
    inboxPrefix,
    ...credentials?.options,
    ...(tls && { tls }),
  }).catch((error: unknown) => {
    throw toFleetError(error, shown);
  });
  if (credentials && !tls && !servers.every(isLoopback)) logLine(`[hawser] fleet: credentials travel to ${shown} unprotected; use tls://`);
  let firstRefusal: PermissionViolationError | undefined;
  const refused = new Set<OnRefusal>([(refusal) => (firstRefusal ??= refusal)]);
  const reconnected = new Set<() => void>();
  void watch(connection, shown, { refused, reconnected });

  /** Gets what is said there; in a queue group, each message reaches one of its members. */
  const listen = (subject: string, take: (message: Msg) => void, queue?: string): Subscription =>
    connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => void (error === null && take(message)),
    });

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
    /** Where answers come. It begins with our user's name, so that permissions can keep others from reading there. */
    createInbox: () => createInbox(inboxPrefix),
    listen,
    /** Called for what the server does not let this account do, until the returned function is called. */
    onRefusal: (listener: OnRefusal) => addTo(refused, listener),
    /** Called when a server is there again after it was lost, until the returned function is called. */
    onReconnect: (listener: () => void) => addTo(reconnected, listener),
    /** Called when somebody tells one of these names to leave, until the returned function is called. */
    onDrain(names: readonly string[], listener: () => void): () => void {
      const subscription = listen(drainSubject, (message) => void (names.includes(message.string()) && listener()));
      return () => subscription.unsubscribe();
    },
    /** Throws `usage` when the server has refused a subject so far: it says so a moment after the subject was used. */
    async checkAllowed(): Promise<void> {
      await connection.flush();
      await nextTurn();
      if (firstRefusal) throw toFleetError(firstRefusal, shown);
    },
    /** Takes no more from a subscription but what the server has sent already. One that is away sends nothing. */
    drain: (subscription: Subscription): Promise<void> => subscription.drain().catch(() => subscription.unsubscribe()),
    /** Resolves when the server has all that was said. One that is away won't have it before we end. */
    flush: (): Promise<void> => connection.flush().catch(() => {}),
    close: () => connection.close(),
  };
}

type OnRefusal = (refusal: PermissionViolationError) => void;

interface Listeners {
  readonly refused: Set<OnRefusal>;
  readonly reconnected: Set<() => void>;
}

function addTo<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A server that is lost, and one that is there again, are told once each. */
async function watch(connection: NatsConnection, servers: string, { refused, reconnected }: Listeners): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === "disconnect") logLine(`[hawser] fleet: lost the server at ${status.server}; trying again`);
    if (status.type === "reconnect") logLine(`[hawser] fleet: connected to ${status.server} again`);
    if (status.type === "reconnect") for (const listener of reconnected) listener();
    if (status.type !== "error") continue;
    const { error } = status;
    if (error instanceof PermissionViolationError) for (const listener of refused) listener(error);
    logLine(`[hawser] fleet: ${toFleetError(error, servers).message}`);
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
