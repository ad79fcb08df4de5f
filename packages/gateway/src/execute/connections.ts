// What an exchange needs of the connections to the gateway, and what these tell it. There are two kinds: a pool of kept
// connections for doors that make many calls, of our own or undici's, and one connection for each request for those that make one (Node).

import type { ConnectTimes } from "./connect-times.ts";

/** A request as it goes over the wire; in the members that undici knows. */
export interface WireRequest {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly method: string;
  /** Name, value, name, value, …, without those that frame the message. Not changed: many requests share one list. */
  readonly headers: string[];
  readonly body: string | Buffer | null;
  /** None is sent twice by a connection. */
  readonly idempotent: false;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a sender may do with its running request, until its end was told: then the flow may be that of another one. */
export interface Flow {
  abort(reason: Error): void;
  /** The end is told only after `resume`, too. */
  pause(): void;
  resume(): void;
}

/** Who sends a request: what becomes of it is told here, in this order, with either the end or an error as the last. */
export interface Sender {
  /** It is not to be started any more. */
  isOver(): boolean;
  /** Nothing was sent: there is no client for it, or that refuses the request. */
  refuse(error: Error): void;
  /** There is a connection. The request is written right behind this, unless it is aborted here. */
  onRequestStart(flow: Flow): void;
  /** All of it was handed to the connection. */
  onRequestWritten(): void;
  /** Possibly also for informational ones (1xx). */
  onResponseStart(flow: Flow, status: number, headers: ResponseHeaders): void;
  onResponseData(flow: Flow, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(flow: Flow, error: Error): void;
}

export interface Connections {
  /** Starts the request when a connection is free for it; what it became is told to the sender. */
  dispatch(request: WireRequest, sender: Sender): void;
  /** The times of the connection that was just opened for the request that starts now; undefined if it uses an older one. */
  freshConnection(): ConnectTimes | undefined;
  /** Ends every connection, also those in use. */
  close(): Promise<void>;
}

/** `maxConnections`: at least the number of calls that shall run side by side. */
export type OpenConnections = (maxConnections?: number, env?: Readonly<Record<string, string | undefined>>) => Connections;

/** One connection of a pool, which gives it one request at a time. */
export interface PooledConnection {
  /** Until when it may be used again, by `performance.now()`. */
  readonly expiresAt: number;
  send(request: WireRequest, sender: Sender): void;
  destroy(): Promise<void>;
}

/** What a connection tells its pool. */
export interface ConnectionOwner {
  /** There is no other connection whose requests could be written together with those of this one. */
  readonly isOnlyOne: boolean;
  /** It was opened with these times, for the request that `start` begins. */
  onOpened(times: ConnectTimes, start: () => void): void;
  /** It may be given the next request. */
  onFree(connection: PooledConnection): void;
  /** It was free until the end of the turn, and has an `expiresAt`. */
  onRest(connection: PooledConnection): void;
  onGone(connection: PooledConnection): void;
  /** A request that it was given, and of which it has sent nothing. */
  onUnsent(request: WireRequest, sender: Sender): void;
  /** Asks for `onEndOfTurn`. */
  atEndOfTurn(connection: { onEndOfTurn(): void }): void;
}
