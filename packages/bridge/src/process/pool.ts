// Parallel calls, each on a connection of its own, one of a fixed number. A request is never sent twice: when its connection dies the
// call fails, and the next call opens a new one, unless reconnecting is off.

import { type CancelSignal, createSemaphore, untilAborted } from "@hawser/wire/internal";
import { HawserError, IPCConnectionError } from "@hawser/protocol/internal";
import type { BridgeOptions } from "../contract/bridge-options.ts";
import type { CallToolParams } from "../contract/contract.ts";
import {
  connectToParent,
  ParentError,
  type CallEvents,
  type ConnectionOptions,
  type ParentConnection,
  type ParentResult,
} from "./connection.ts";

interface PoolOptions extends Pick<BridgeOptions, "socketPath" | "connections" | "reconnect" | "follow"> {
  /** Aborted when nothing new may start: calls that still wait are refused. */
  readonly stopping: AbortSignal;
  /** Resolves when one more result can be taken; no call starts before. Undefined when it can be now. */
  whenRoom(): Promise<void> | undefined;
}

interface PoolCall extends CallEvents {
  readonly params: CallToolParams;
  /** Aborting it closes the connection that carries the call, which tells the parent to stop. */
  readonly signal: CancelSignal;
  /** The client; told to the parent when a connection is opened. */
  readonly client: ConnectionOptions["client"];
}

export type Pool = ReturnType<typeof createPool>;

export function createPool(options: PoolOptions) {
  const { socketPath } = options;
  const seats = createSemaphore(options.connections);
  options.stopping.addEventListener("abort", () => seats.close(options.stopping.reason as Error), { once: true });
  const open = new Set<ParentConnection>();
  const idle: ParentConnection[] = [];
  let isPlainParent = false;
  let lost: HawserError | undefined;
  let privateDirectory: string | undefined;

  async function connect({ client, signal }: PoolCall): Promise<ParentConnection> {
    const connecting = connectToParent({ socketPath, client, signal, saysHello: !isPlainParent });
    const connection = await connecting.catch((error: unknown) => {
      if (!options.follow || !isAway(error)) throw error;
      const message = `the program that offers the tools isn't running; start it, then call again. Its address is ${socketPath}`;
      throw new IPCConnectionError(message, { cause: error }, "connection_failed");
    });
    isPlainParent ||= connection.hello === undefined;
    // A restarted program names another one.
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

  async function callOn(connection: ParentConnection, call: PoolCall): Promise<ParentResult> {
    const { signal } = call;
    const giveUp = (): void => connection.close(signal.reason);
    signal.addEventListener("abort", giveUp);
    try {
      if (signal.aborted) throw signal.reason;
      const result = await connection.call(call.params, call);
      idle.push(connection);
      return result;
    } catch (error) {
      // Only an error that the parent sent, or one before a byte was written, leaves the connection in a known state.
      if (error instanceof ParentError || isLocalRefusal(error)) idle.push(connection);
      else connection.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  return {
    /** Where results that are too large for the client may be put; undefined until a parent has said so. */
    get privateDirectory() {
      return privateDirectory;
    },
    async call(call: PoolCall): Promise<ParentResult> {
      const seat = seats.tryAcquire() ?? (await seats.acquire(call.signal));
      try {
        const room = options.whenRoom();
        if (room) await untilAborted(call.signal, room);
        if (lost && options.reconnect === "never") {
          const message = `the connection to ${socketPath} was lost and reconnecting is off; restart the MCP server`;
          throw new IPCConnectionError(message, { cause: lost });
        }
        return await callOn(takeIdle() ?? (await connect(call)), call);
      } finally {
        seat.release();
      }
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}

/** No program listens: nothing was sent, and a later call may well succeed. */
const isAway = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.facts["errno"] === "ENOENT" || error.facts["errno"] === "ECONNREFUSED");

/** Refused before a byte was written. */
const isLocalRefusal = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.code === "too_large" || error.code === "too_deep" || error.code === "not_serializable");
