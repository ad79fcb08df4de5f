// Parallel calls, each connection strictly sequential: a call takes an idle connection, or opens
// one while there are fewer than the limit, or waits in line. A request is never sent twice: when
// its connection dies, the call fails; the next call opens a new one, unless reconnecting is off.

import { HawserError, IPCConnectionError, untilAborted } from "@hawser/wire";
import type { CallToolParams, ToolResult } from "../contract.ts";
import { connectToParent, ParentError, type CallEvents, type ConnectionOptions, type ParentConnection } from "./connection.ts";

export interface PoolOptions {
  readonly socketPath: string;
  readonly connections: number;
  readonly reconnect: "lazy" | "never";
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
  call(call: PoolCall): Promise<ToolResult>;
  /** Where results that are too large for the client may be put; undefined until a parent has said so. */
  readonly privateDirectory: string | undefined;
  close(): void;
}

export function createPool(options: PoolOptions): Pool {
  const idle: ParentConnection[] = [];
  const waiting: ((connection: ParentConnection | undefined) => void)[] = [];
  const open = new Set<ParentConnection>();
  let opening = 0;
  let lost: HawserError | undefined;
  let privateDirectory: string | undefined;

  async function connect({ client, signal }: PoolCall): Promise<ParentConnection> {
    opening++;
    try {
      const connection = await connectToParent({ socketPath: options.socketPath, client, signal });
      open.add(connection);
      privateDirectory ??= connection.privateDirectory;
      void connection.closed.then((reason) => {
        lost ??= reason;
        open.delete(connection);
        if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
        admitNext();
      });
      return connection;
    } finally {
      opening--;
    }
  }

  async function acquire(call: PoolCall): Promise<ParentConnection> {
    const { signal } = call;
    for (;;) {
      signal.throwIfAborted();
      if (lost && options.reconnect === "never") {
        throw new IPCConnectionError(`the connection to ${options.socketPath} was lost and reconnecting is off; restart the MCP server`, {
          cause: lost,
        });
      }
      const connection = idle.pop();
      if (connection) return connection;
      if (open.size + opening < options.connections) {
        return await connect(call).catch((error: unknown) => {
          admitNext();
          throw error;
        });
      }
      const turn = Promise.withResolvers<ParentConnection | undefined>();
      waiting.push(turn.resolve);
      try {
        const handed = await untilAborted(signal, turn.promise);
        if (handed) return handed;
      } catch (error) {
        if (waiting.includes(turn.resolve)) waiting.splice(waiting.indexOf(turn.resolve), 1);
        else void turn.promise.then((handed) => (handed ? release(handed) : admitNext()));
        throw error;
      }
    }
  }

  function release(connection: ParentConnection): void {
    if (!open.has(connection)) return admitNext();
    const next = waiting.shift();
    if (next) next(connection);
    else idle.push(connection);
  }

  /** A place to open a connection is free: the first in line may try. */
  function admitNext(): void {
    waiting.shift()?.(undefined);
  }

  return {
    get privateDirectory() {
      return privateDirectory;
    },
    async call(call) {
      const connection = await acquire(call);
      try {
        const result = await untilAborted(call.signal, connection.call(call.params, call.events));
        release(connection);
        return result;
      } catch (error) {
        // Only an error that the parent sent leaves the connection in a known state.
        if (error instanceof ParentError || isLocalRefusal(error)) release(connection);
        else connection.close(new HawserError("cancelled", "the call ended early", { cause: error }));
        throw error;
      }
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}

/** Refused before a byte was written. */
const isLocalRefusal = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.code === "too_large" || error.code === "too_deep" || error.code === "not_serializable");
