// One connection of the bridge to the program that owns the functions: one request at a time, each
// sent once. It is read all the time, also while idle: a parent that closes it is noticed before the
// next call is put on it, and an answer that nobody asked for ends it, since without ids it would
// be taken for the answer to the next call.

import {
  exceedsDepth,
  HawserError,
  IPCConnectionError,
  limits,
  toIPCError,
  untilAborted,
  type Incoming,
  type LogLevel,
} from "@hawser/wire";
import { connectSocket, createStreamTransport, lengthPrefix, logLine } from "@hawser/wire/node";
import type { CallToolParams, ToolResult } from "../contract.ts";
import { helloFeatures } from "../hello-features.ts";
import { ParentError, readAnswer } from "./parent-answer.ts";
import type { ResultSize } from "./spill.ts";

export interface CallEvents {
  onProgress(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
  onLog(log: { level: LogLevel; message: string }): void;
}

/** A result as it came, with what its frame tells about the line that will carry it. */
export interface ParentResult extends ResultSize {
  readonly result: ToolResult;
}

export interface ParentConnection {
  /** What the parent said of itself; undefined when it does not know `hello`. */
  readonly hello: ToolResult["hello"];
  readonly isOpen: boolean;
  /** Resolves when the connection can't be used any more, with the reason if the end was not ours. */
  readonly closed: Promise<HawserError | undefined>;
  /** Rejects with the contract's error classes. */
  call(params: CallToolParams, events: CallEvents): Promise<ParentResult>;
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
  readonly answer: PromiseWithResolvers<ParentResult>;
}

/**
 * Connects, and says `hello` unless told not to. Aborting the signal ends either. A parent that closes the connection
 * over `hello`, which it does not know, is connected to again without it: no call has been sent yet.
 */
export async function connectToParent(options: ConnectionOptions): Promise<ParentConnection> {
  try {
    return await openConnection(options);
  } catch (error) {
    if (!options.saysHello || !isLoss(error)) throw error;
    logLine(`[hawser] the program at ${options.socketPath} closed the connection at \`hello\`; trying without`);
    return openConnection({ ...options, saysHello: false });
  }
}

const isLoss = (error: unknown): boolean =>
  HawserError.isInstance(error) && error.code === "connection_lost" && !(error instanceof ParentError);

async function openConnection(options: ConnectionOptions): Promise<ParentConnection> {
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

  /** False at the end. A function of its own: while we wait for the next frame, nothing of this one is held. */
  async function readOne(frames: AsyncIterator<Incoming>): Promise<boolean> {
    const { value, done } = await frames.next();
    if (done) return false;
    receive(value);
    return true;
  }

  function receive(item: Incoming): void {
    const answer = readAnswer(item, socketPath);
    if ("progress" in answer) return current?.events.onProgress(answer.progress);
    if ("log" in answer) return current?.events.onLog(answer.log);
    if (!current) throw new IPCConnectionError(`the program that offers the tools answered what nobody asked; its socket is ${socketPath}`);
    const { resolve, reject } = current.answer;
    current = undefined;
    if ("error" in answer) reject(new ParentError(answer.error));
    else resolve({ result: answer.result, ...sizeOf(item) });
  }

  async function read(): Promise<never> {
    const frames = transport.incoming[Symbol.asyncIterator]();
    while (await readOne(frames));
    throw new IPCConnectionError(`the program that offers the tools closed the connection before it answered; its socket is ${socketPath}`);
  }

  async function request(message: object, events: CallEvents): Promise<ParentResult> {
    const exchange: Exchange = { events, answer: Promise.withResolvers() };
    // The answer may be rejected while the request is still being sent.
    exchange.answer.promise.catch(() => {});
    current = exchange;
    try {
      await transport.send(message);
    } catch (error) {
      if (current === exchange) current = undefined;
      throw withSocket(error as HawserError, socketPath);
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

/** The contract's error; one about the connection names the socket. */
function withSocket(error: HawserError, socketPath: string): Error {
  if (error.code !== "connection_lost" && error.code !== "overloaded") return toIPCError(error);
  return new IPCConnectionError(`${error.message}; the socket is ${socketPath}`, { cause: error }, error.code);
}

// Measured here, where the text still exists: making it again would cost as much as everything else.
function sizeOf(item: Incoming): ResultSize {
  const text = item.kind === "message" ? item.text : "";
  return { bytes: Buffer.byteLength(text), isTooDeep: exceedsDepth(text, limits.maxWriteDepth) };
}

async function sayHello(
  request: (message: object) => Promise<ParentResult>,
  client: ConnectionOptions["client"],
): Promise<ToolResult["hello"]> {
  try {
    const params = { features: helloFeatures, ...(client && { client }) };
    return (await request({ method: "hello", params })).result.hello;
  } catch (error) {
    // An error that the parent sent means only that it does not know `hello`, unless it refuses the connection itself.
    if (error instanceof ParentError && error.type !== "IPCConnectionError") return undefined;
    throw error;
  }
}
