// One connection of the bridge to the program that owns the functions: one request at a time, each
// sent once. It is read all the time, also while idle: a parent that closes it is noticed before the
// next call is put on it, and an answer that nobody asked for ends it, since without ids it would
// be taken for the answer to the next call.

import { HawserError, IPCConnectionError, toIPCError, untilAborted, type LogLevel } from "@hawser/wire";
import { connectSocket, createStreamTransport, lengthPrefix } from "@hawser/wire/node";
import type { CallToolParams, ToolResult } from "../contract.ts";
import { ParentError, readAnswer } from "./parent-answer.ts";

export interface CallEvents {
  onProgress(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
  onLog(log: { level: LogLevel; message: string }): void;
}

export interface ParentConnection {
  /** What the parent said of itself; undefined when it does not know `hello`. */
  readonly hello: ToolResult["hello"];
  readonly isOpen: boolean;
  /** Resolves when the connection can't be used any more, with the reason if the end was not ours. */
  readonly closed: Promise<HawserError | undefined>;
  /** Rejects with the contract's error classes. */
  call(params: CallToolParams, events: CallEvents): Promise<ToolResult>;
  close(): void;
}

export interface ConnectionOptions {
  readonly socketPath: string;
  /** False for a parent that is known not to understand `hello`. */
  readonly saysHello: boolean;
  readonly client: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly signal: AbortSignal;
}

interface Exchange {
  readonly events: CallEvents;
  readonly answer: PromiseWithResolvers<ToolResult>;
}

/** Connects, and says `hello` unless told not to. Aborting the signal ends either. */
export async function connectToParent(options: ConnectionOptions): Promise<ParentConnection> {
  const { socketPath, signal } = options;
  const socket = await connectSocket(socketPath, { signal }).catch((error: HawserError) => {
    throw toIPCError(error);
  });
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  const closed = Promise.withResolvers<HawserError | undefined>();
  let current: Exchange | undefined;
  let isOpen = true;

  function end(reason: HawserError | undefined): void {
    if (!isOpen) return;
    isOpen = false;
    current?.answer.reject(reason ?? new HawserError("cancelled", "the call was given up"));
    // With a reason even then: an orderly close would wait for a parent that does not read.
    void transport.close(reason ?? new HawserError("closed", "closed by the bridge"));
    closed.resolve(reason);
  }

  async function read(): Promise<void> {
    for await (const item of transport.incoming) {
      const answer = readAnswer(item);
      if ("progress" in answer) current?.events.onProgress(answer.progress);
      else if ("log" in answer) current?.events.onLog(answer.log);
      else if (!current) throw new IPCConnectionError("the program that offers the tools answered what nobody asked");
      else {
        const { resolve, reject } = current.answer;
        current = undefined;
        if ("error" in answer) reject(new ParentError(answer.error));
        else resolve(answer.result);
      }
    }
    throw new IPCConnectionError(`the program that offers the tools closed the connection before it answered; its socket is ${socketPath}`);
  }

  async function request(message: object, events: CallEvents): Promise<ToolResult> {
    const exchange: Exchange = { events, answer: Promise.withResolvers() };
    // The answer may be rejected while the request is still being sent.
    exchange.answer.promise.catch(() => {});
    current = exchange;
    try {
      await transport.send(message);
    } catch (error) {
      if (current === exchange) current = undefined;
      throw toIPCError(error as HawserError);
    }
    return exchange.answer.promise;
  }

  read().catch((error: HawserError) => end(error));
  const silent: CallEvents = { onProgress: () => {}, onLog: () => {} };
  const greeting = options.saysHello ? sayHello((message) => request(message, silent), options.client) : Promise.resolve(undefined);
  const hello = await untilAborted(signal, greeting).catch((error: unknown) => {
    end(undefined);
    throw error;
  });
  return {
    hello,
    get isOpen() {
      return isOpen;
    },
    closed: closed.promise,
    call: (params, events) => request({ method: "call_tool", params }, events),
    close: () => end(undefined),
  };
}

async function sayHello(
  request: (message: object) => Promise<ToolResult>,
  client: ConnectionOptions["client"],
): Promise<ToolResult["hello"]> {
  try {
    const { hello } = await request({
      method: "hello",
      params: { features: ["progress", "log", "richContent"], ...(client && { client }) },
    });
    return hello;
  } catch (error) {
    // An error that the parent sent means only that it does not know `hello`, unless it refuses the connection itself.
    if (error instanceof ParentError && error.type !== "IPCConnectionError") return undefined;
    throw error;
  }
}
