// The connections of a pool to one server or proxy: how many there may be, which of them is used next, and the requests that
// wait for one. The one that was used last is used next; the others become idle and end.

import { HawserError } from "@hawser/protocol";
import type { ConnectionOwner, PooledConnection, Sender, WireRequest } from "./connections.ts";
import type { ConnectTimes } from "./connect-times.ts";

interface PooledHostOptions {
  readonly maxConnections: number;
  /** Holds the times of the connection that was just opened while its request starts. */
  readonly opened: { times: ConnectTimes | undefined };
  open(owner: ConnectionOwner): PooledConnection;
}

export class PooledHost implements ConnectionOwner {
  readonly isOnlyOne: boolean;
  private readonly options: PooledHostOptions;
  private readonly connections = new Set<PooledConnection>();
  private readonly free: PooledConnection[] = [];
  private readonly waiting: { readonly request: WireRequest; readonly sender: Sender }[] = [];
  private turn: { onEndOfTurn(): void }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private looksAt = Infinity;
  private isClosed = false;

  constructor(options: PooledHostOptions) {
    this.options = options;
    this.isOnlyOne = options.maxConnections === 1;
  }

  start(request: WireRequest, sender: Sender): void {
    if (this.isClosed) return sender.refuse(closed());
    const connection = this.takeFree() ?? (this.connections.size < this.options.maxConnections ? this.add() : undefined);
    if (connection) connection.send(request, sender);
    else this.waiting.push({ request, sender });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const { sender } of this.waiting.splice(0)) sender.refuse(closed());
    await Promise.all([...this.connections].map((connection) => connection.destroy()));
  }

  onOpened(times: ConnectTimes, start: () => void): void {
    const { opened } = this.options;
    opened.times = times;
    start();
    opened.times = undefined;
  }

  onFree(connection: PooledConnection): void {
    const next = this.takeWanted();
    if (next) connection.send(next.request, next.sender);
    else this.free.push(connection);
  }

  onGone(connection: PooledConnection): void {
    this.connections.delete(connection);
    const place = this.free.indexOf(connection);
    if (place !== -1) this.free.splice(place, 1);
    const next = this.isClosed ? undefined : this.takeWanted();
    if (next) this.start(next.request, next.sender);
  }

  onUnsent(request: WireRequest, sender: Sender): void {
    this.start(request, sender);
  }

  onRest({ expiresAt }: PooledConnection): void {
    if (expiresAt < this.looksAt) this.lookAt(expiresAt);
  }

  // All connections share one turn: a timer of its own costs as much as the rest of what a connection does.
  atEndOfTurn(connection: { onEndOfTurn(): void }): void {
    if (this.turn.push(connection) === 1) setImmediate(() => this.endTurn());
  }

  private endTurn(): void {
    const { turn } = this;
    this.turn = [];
    for (const connection of turn) connection.onEndOfTurn();
  }

  private add(): PooledConnection {
    const connection = this.options.open(this);
    this.connections.add(connection);
    return connection;
  }

  /** A process that was stopped or busy may come back long after the server has given its connections up. */
  private takeFree(): PooledConnection | undefined {
    const last = this.free.at(-1);
    if (last && last.expiresAt !== Infinity && last.expiresAt <= performance.now()) this.endExpired();
    return this.free.pop();
  }

  private takeWanted(): { readonly request: WireRequest; readonly sender: Sender } | undefined {
    let next = this.waiting.shift();
    while (next?.sender.isOver()) next = this.waiting.shift();
    return next;
  }

  private lookAt(at: number): void {
    clearTimeout(this.timer);
    this.looksAt = at;
    this.timer = setTimeout(() => this.endExpired(), Math.max(Math.ceil(at - performance.now()), 1)).unref();
  }

  private endExpired(): void {
    const now = performance.now();
    for (const connection of this.free.filter(({ expiresAt }) => expiresAt <= now)) void connection.destroy();
    this.looksAt = Infinity;
    const next = Math.min(...this.free.map(({ expiresAt }) => expiresAt));
    if (next < Infinity) this.lookAt(next);
  }
}

export const closed = (): HawserError => new HawserError("closed", "the connections are closed");
