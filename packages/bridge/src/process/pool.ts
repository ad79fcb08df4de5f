// Parallel calls, each on a connection of its own: a call waits for one of a fixed number of places,
// in the order of arrival, then takes an idle connection or opens one. A request is never sent
// twice: when its connection dies the call fails, and the next call opens a new one, unless
// reconnecting is off.

import { createPlaces, HawserError, IPCConnectionError, untilAborted } from "@hawser/wire";
import type { CallToolParams } from "../contract.ts";
import { connectToParent, type CallEvents, type ConnectionOptions, type ParentConnection, type ParentResult } from "./connection.ts";
import { ParentError } from "./parent-answer.ts";

export interface PoolOptions {
  readonly socketPath: string;
  readonly connections: number;
  readonly reconnect: "lazy" | "never";
  /** The program may be restarted at the same socket. */
  readonly follow: boolean;
  /** Aborted when nothing new may start: calls that still wait are refused. */
  readonly stopping: AbortSignal;
  /** Resolves when one more result can be taken; no call starts before. */
  whenRoom(): Promise<void>;
}

export interface PoolCall {
  readonly params: CallToolParams;
  readonly events: CallEvents;
  /** Aborting it closes the connection that carries the call, which tells the parent to stop. */
  readonly signal: AbortSignal;
  /** Who calls; told to the parent when a connection is opened. */
  readonly client: ConnectionOptions["client"];
}

export interface Pool {
  call(call: PoolCall): Promise<ParentResult>;
  /** Where results that are too large for the client may be put; undefined until a parent has said so. */
  readonly privateDirectory: string | undefined;
  close(): void;
}

export function createPool(options: PoolOptions): Pool {
  const { socketPath } = options;
  const places = createPlaces(options.connections);
  options.stopping.addEventListener("abort", () => places.close(options.stopping.reason as Error), { once: true });
  const open = new Set<ParentConnection>();
  const idle: ParentConnection[] = [];
  let isPlainParent = false;
  let lost: HawserError | undefined;
  let privateDirectory: string | undefined;

  async function connect({ client, signal }: PoolCall): Promise<ParentConnection> {
    const connecting = connectToParent({ socketPath, client, signal, saysHello: !isPlainParent });
    const connection = await connecting.catch((error: unknown) => {
      throw options.follow && isAway(error) ? notRunning(socketPath, error) : error;
    });
    isPlainParent ||= connection.hello === undefined;
    // A program that was restarted has another one.
    privateDirectory = connection.hello?.privateDirectory ?? privateDirectory;
    open.add(connection);
    void connection.closed.then((reason) => {
      lost ??= reason;
      open.delete(connection);
    });
    return connection;
  }

  // The one that was used last is the least likely to have been closed since.
  function takeIdle(): ParentConnection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) if (connection.isOpen) return connection;
    return undefined;
  }

  async function callOn(connection: ParentConnection, { params, events, signal }: PoolCall): Promise<ParentResult> {
    try {
      signal.throwIfAborted();
      const result = await untilAborted(signal, connection.call(params, events));
      idle.push(connection);
      return result;
    } catch (error) {
      // Only an error that the parent sent, or one before a byte was written, leaves the connection in a known state.
      if (error instanceof ParentError || isLocalRefusal(error)) idle.push(connection);
      else connection.close();
      throw error;
    }
  }

  return {
    get privateDirectory() {
      return privateDirectory;
    },
    async call(call) {
      await places.enter(call.signal);
      try {
        await untilAborted(call.signal, options.whenRoom());
        if (lost && options.reconnect === "never") throw lostForGood(socketPath, lost);
        return await callOn(takeIdle() ?? (await connect(call)), call);
      } finally {
        places.leave();
      }
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}

/** Nobody listens: nothing was sent, and a later call may well succeed. */
const isAway = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.facts["errno"] === "ENOENT" || error.facts["errno"] === "ECONNREFUSED");

function notRunning(socketPath: string, cause: unknown): IPCConnectionError {
  const message = `the program that offers the tools isn't running; start it, then call again. Its address is ${socketPath}`;
  return new IPCConnectionError(message, { cause }, "connection_failed");
}

function lostForGood(socketPath: string, cause: HawserError): IPCConnectionError {
  return new IPCConnectionError(`the connection to ${socketPath} was lost and reconnecting is off; restart the MCP server`, { cause });
}

/** Refused before a byte was written. */
const isLocalRefusal = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.code === "too_large" || error.code === "too_deep" || error.code === "not_serializable");
