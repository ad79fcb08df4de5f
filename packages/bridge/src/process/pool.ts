// Parallel calls, each on a connection of its own, one of a fixed number. A request is never sent twice: when its connection dies the
// call fails, and the next call opens a new one, unless reconnecting is off.

import { type CancelSignal, createSemaphore, type Lease, untilAborted } from "@hawser/wire/internal";
import { HawserError, IPCConnectionError } from "@hawser/protocol/internal";
import type { BridgeOptions } from "../contract/bridge-options.ts";
import type { CallToolParams } from "../contract/contract.ts";
import { connectToParent, ParentError, type ConnectionOptions, type Exchange, type ParentConnection } from "./connection.ts";

export interface PoolOptions extends Pick<BridgeOptions, "socketPath" | "connections" | "reconnect" | "follow"> {
  /** Aborted when nothing new may start: calls that still wait are refused. */
  readonly stopping: AbortSignal;
  /** Resolves when one more result can be taken; no call starts before. Undefined when it can be now. */
  whenRoom(): Promise<void> | undefined;
}

export interface PoolCall extends Exchange {
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
  const idle: Lane[] = [];
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

  const openLane = async (call: PoolCall): Promise<Lane> => createLane(await connect(call), (lane) => idle.push(lane));

  // The one that was used last is the least likely to have been closed since.
  function takeIdle(): Lane | undefined {
    for (let lane = idle.pop(); lane; lane = idle.pop()) if (lane.connection.isOpen) return lane;
    return undefined;
  }

  function callOn(lane: Lane, call: PoolCall, seat: Lease): void {
    lane.call = call;
    lane.seat = seat;
    call.signal.addEventListener("abort", lane.giveUp);
    lane.connection.call(call.params, lane.exchange);
  }

  async function callWhenReady(call: PoolCall, { seat, room }: { seat: Lease; room: Promise<void> | undefined }): Promise<void> {
    try {
      if (room) await untilAborted(call.signal, room);
      if (isLostForGood()) {
        const message = `the connection to ${socketPath} was lost and reconnecting is off; restart the MCP server`;
        throw new IPCConnectionError(message, { cause: lost });
      }
      const lane = takeIdle() ?? (await openLane(call));
      if (!call.signal.aborted) return callOn(lane, call, seat);
      lane.connection.close();
      throw call.signal.reason;
    } catch (error) {
      seat.release();
      call.onFailure(error);
    }
  }

  function callOnSeat(call: PoolCall, seat: Lease): void {
    const room = options.whenRoom();
    const lane = room || call.signal.aborted || isLostForGood() ? undefined : takeIdle();
    if (lane) callOn(lane, call, seat);
    else void callWhenReady(call, { seat, room });
  }

  const isLostForGood = (): boolean => lost !== undefined && options.reconnect === "never";

  return {
    /** Where results that are too large for the client may be put; undefined until a parent has said so. */
    get privateDirectory() {
      return privateDirectory;
    },
    /** Ends by exactly one of `onResult` and `onFailure`. */
    call(call: PoolCall): void {
      const seat = seats.tryAcquire();
      if (seat) callOnSeat(call, seat);
      else
        seats.acquire(call.signal).then(
          (free) => callOnSeat(call, free),
          (error: unknown) => call.onFailure(error),
        );
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}

/** A connection with the call that it carries. What hears of that call is made once, not for each. */
interface Lane {
  readonly connection: ParentConnection;
  readonly exchange: Exchange;
  call: PoolCall | undefined;
  seat: Lease | undefined;
  giveUp(): void;
}

/** Every call ends here once: it is told at once, since its client waits; then the connection is free for the next one. */
function createLane(connection: ParentConnection, onFree: (lane: Lane) => void): Lane {
  function leave(isReusable: boolean): PoolCall | undefined {
    const { call, seat } = lane;
    call?.signal.removeEventListener("abort", lane.giveUp);
    lane.call = lane.seat = undefined;
    if (isReusable) onFree(lane);
    else connection.close();
    // A call that waits gets it by a promise: not before everything was read that came with the answer.
    seat?.release();
    return call;
  }

  const lane: Lane = {
    connection,
    call: undefined,
    seat: undefined,
    giveUp: () => connection.close(lane.call?.signal.reason),
    exchange: {
      onProgress: (progress) => lane.call?.onProgress(progress),
      onLog: (log) => lane.call?.onLog(log),
      onResult: (answer) => leave(true)?.onResult(answer),
      // Only an error that the parent sent, or one before a byte was written, leaves the connection in a known state.
      onFailure: (error) => leave(error instanceof ParentError || isLocalRefusal(error))?.onFailure(error),
    },
  };
  return lane;
}

/** No program listens: nothing was sent, and a later call may well succeed. */
const isAway = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.facts["errno"] === "ENOENT" || error.facts["errno"] === "ECONNREFUSED");

/** Refused before a byte was written. */
const isLocalRefusal = (error: unknown): boolean =>
  HawserError.isInstance(error) && (error.code === "too_large" || error.code === "too_deep" || error.code === "not_serializable");
