// One connection of the bridge to the program that owns the functions: one request at a time, each sent once, answered by progress
// and log lines, then one result or error. It is read all the time: a parent that closes it is noticed before the next call, and
// an answer without a request ends it, since without ids it would be taken for the answer to the next call.

import {
  bridgeProtocol,
  HawserError,
  IPCConnectionError,
  IPCError,
  isRecord,
  toIPCError,
  type BridgeResponse,
} from "@hawser/protocol/internal";
import type { LogLevel } from "@hawser/tools";
import {
  type CancelSignal,
  exceedsDepth,
  keepNumbers,
  readEach,
  taken,
  type Incoming,
  untilAborted,
  wireLimits,
} from "@hawser/wire/internal";
import { connectSocket, createStreamTransport, lengthPrefix, logLine } from "@hawser/wire/internal/node";
import type { CallToolParams, IPCErrorPayload, ToolResult } from "../contract/contract.ts";
import { helloFeatures, type Progress } from "../contract/notes.ts";

/** Who waits for an answer: told of what comes before it, then once of the end. Called while the connection is read. */
export interface Exchange {
  onProgress(progress: Progress): void;
  onLog(log: { level: LogLevel; message: string }): void;
  onResult(answer: ParentResult): void;
  /** With the contract's error classes, or the reason for which the connection was closed. */
  onFailure(error: unknown): void;
}

/** A result as it came, with what its frame tells about the line that will carry it. */
export interface ParentResult {
  readonly result: ToolResult;
  /** As it came; as it leaves it may be longer. */
  readonly bytes: number;
  /** Nested too deeply for some readers. */
  readonly isTooDeep: boolean;
}

/** An error that the parent sent: `type` is the class it named. The connection is as good as before. */
export class ParentError extends IPCError {
  readonly type: string;
  constructor({ message, type }: IPCErrorPayload) {
    super(message, { facts: { type } }, "tool_failed");
    this.type = type;
  }
}

export type ParentConnection = Awaited<ReturnType<typeof openConnection>>;

export interface ConnectionOptions {
  readonly socketPath: string;
  /** False for a parent that is known not to understand `hello`. */
  readonly saysHello: boolean;
  readonly client: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly signal: CancelSignal;
}

/**
 * Connects, and says `hello` unless told not to. Aborting the signal ends either. A parent that closes the connection
 * over `hello`, which it does not know, is connected to again without it: no call has been sent yet.
 */
export async function connectToParent(options: ConnectionOptions): Promise<ParentConnection> {
  try {
    return await openConnection(options);
  } catch (error) {
    const isLoss = HawserError.isInstance(error) && error.code === "connection_lost" && !(error instanceof ParentError);
    if (!options.saysHello || !isLoss) throw error;
    logLine(`[hawser] the program at ${options.socketPath} closed the connection at \`hello\`; trying without`);
    return openConnection({ ...options, saysHello: false });
  }
}

async function openConnection(options: ConnectionOptions) {
  const { socketPath, signal } = options;
  const socket = await connectSocket(socketPath, { signal }).catch((error: HawserError) => {
    throw toIPCError(error);
  });
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  const closed = Promise.withResolvers<HawserError | undefined>();
  let current: Exchange | undefined;
  let isOpen = true;

  /** Without a reason the end is ours; `told` is what the call that still waits is given. */
  function end(reason: HawserError | undefined, told: unknown = reason ?? new HawserError("cancelled", "the call was given up")): void {
    if (!isOpen) return;
    isOpen = false;
    const waiting = current;
    current = undefined;
    // Always with a reason: without one, closing would wait for a parent that doesn't read.
    void transport.close(reason ?? new HawserError("closed", "closed by the bridge"));
    closed.resolve(reason);
    waiting?.onFailure(told);
  }

  function receive(item: Incoming): undefined {
    try {
      if (isOpen) take(item);
    } catch (error) {
      // At once: the next call, which may begin in a moment, must not find this connection.
      end(error as HawserError);
    }
  }

  function take(item: Incoming): void {
    const answer = readAnswer(item, socketPath);
    if ("progress" in answer) return current?.onProgress(answer.progress);
    if ("log" in answer) return current?.onLog(answer.log);
    if (!current) throw new IPCConnectionError(`the program that offers the tools answered without a request; its socket is ${socketPath}`);
    const exchange = current;
    current = undefined;
    if ("error" in answer) exchange.onFailure(new ParentError(answer.error));
    else exchange.onResult(toParentResult(answer.result, item));
  }

  async function read(): Promise<never> {
    await readEach(transport.incoming, receive);
    throw new IPCConnectionError(`the program that offers the tools closed the connection before it answered; its socket is ${socketPath}`);
  }

  function request(message: object, exchange: Exchange): void {
    current = exchange;
    const sent = transport.send(message);
    if (sent === taken) return;
    sent.catch((error: HawserError) => {
      if (current !== exchange) return;
      current = undefined;
      exchange.onFailure(withSocket(error, socketPath));
    });
  }

  read().catch((error: HawserError) => end(error));
  const ask = (message: object): Promise<ParentResult> =>
    new Promise((onResult, onFailure) => request(message, { onProgress: () => {}, onLog: () => {}, onResult, onFailure }));
  const greeting = options.saysHello ? sayHello(ask, options.client) : Promise.resolve(undefined);
  const hello = await untilAborted(signal, greeting).catch((error: unknown) => {
    end(undefined, error);
    throw error;
  });
  return {
    /** What the parent said of itself; undefined when it does not know `hello`. */
    hello,
    get isOpen() {
      return isOpen;
    },
    /** Resolves when the connection can't be used any more, with the reason if the end was not ours. */
    closed: closed.promise,
    /** When the one before it has ended, and not while its answer is told: what else came with that answer is without a request. */
    call: (params: CallToolParams, exchange: Exchange) => request({ method: "call_tool", params }, exchange),
    /** A call that still waits fails with the reason. */
    close: (reason?: unknown) => end(undefined, reason),
  };
}

/** The contract's error; it names the socket if it is about the connection. */
function withSocket(error: HawserError, socketPath: string): Error {
  if (error.code !== "connection_lost" && error.code !== "overloaded") return toIPCError(error);
  return new IPCConnectionError(`${error.message}; the socket is ${socketPath}`, { cause: error }, error.code);
}

// Measured here, where the text still exists: writing it again would cost as much as the rest of the call.
function toParentResult(result: ToolResult, item: Incoming): ParentResult {
  const text = item.kind === "message" ? item.text : "";
  return { result, bytes: Buffer.byteLength(text), isTooDeep: exceedsDepth(text, wireLimits.maxWriteDepth) };
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

// --- what the parent sends

/** Throws the contract's error for what can't be read; after that it is unknown what the next frame answers. */
function readAnswer(item: Incoming, socketPath: string): BridgeResponse {
  if (item.kind === "refused") throw refusalOf(item.error, socketPath);
  try {
    // The result is only passed on, as the arguments are.
    keepNumbers((item.value as { result?: unknown } | null)?.result, item.text, ["result"]);
    return bridgeProtocol.parseResponse(withValidResult(item.value));
  } catch (cause) {
    const message = `the program that offers the tools sent an invalid answer: ${(cause as Error).message}; its socket is ${socketPath}`;
    throw new IPCError(message, { cause }, "invalid_message");
  }
}

function refusalOf(error: HawserError, socketPath: string): IPCError {
  if (error.code === "connection_lost") {
    const message = `the program that offers the tools ended inside a frame, in the middle of its answer; its socket is ${socketPath}`;
    return new IPCConnectionError(message, { cause: error });
  }
  const message = `the program that offers the tools sent what can't be read: ${withoutAdvice(error.message)}; its socket is ${socketPath}`;
  return new IPCError(message, { cause: error }, error.code);
}

// Drops the advice to the sender; the reader of this error isn't the sender.
const withoutAdvice = (message: string): string => message.replace(/(?:[;,.] (?:send|flatten|encode)\b.*)$/is, "");

// Some parents answer without content, where an empty text says the same, some write `null` for members that they leave
// out, and some a list where MCP wants an object. The content is worth more than the fault.
function withValidResult(value: unknown): unknown {
  const { result } = (isRecord(value) ? value : {}) as { result?: unknown };
  if (!isRecord(result) || !Array.isArray(result["content"])) return value;
  const given: readonly unknown[] = result["content"];
  const members = without(result, isUnfit);
  const isAsItShouldBe = members === result && given.length > 0 && given.every((block) => !isRecord(block) || !hasUnfit(block, isNull));
  if (isAsItShouldBe) return value;
  const content = given.map((block) => (isRecord(block) ? without(block, isNull) : block));
  return { ...(value as object), result: { ...members, content: content.length > 0 ? content : [{ type: "text", text: "" }] } };
}

type IsUnfit = (member: unknown, name: string) => boolean;
const isNull: IsUnfit = (member) => member === null;
const isUnfit: IsUnfit = (member, name) => isNull(member, name) || isMisplaced(member, name);

function isMisplaced(member: unknown, name: string): boolean {
  const isOdd = (name === "structuredContent" || name === "_meta") && !isRecord(member);
  if (isOdd) logLine(`[hawser] the program that offers the tools sent a \`${name}\` that isn't an object; it is left out`);
  return isOdd;
}

function hasUnfit(record: Record<string, unknown>, isUnfitHere: IsUnfit): boolean {
  for (const name in record) if (isUnfitHere(record[name], name)) return true;
  return false;
}

/** The record itself when nothing has to go. */
function without(record: Record<string, unknown>, isUnfitHere: IsUnfit): Record<string, unknown> {
  if (!hasUnfit(record, isUnfitHere)) return record;
  return Object.fromEntries(Object.entries(record).filter(([name, member]) => !isUnfitHere(member, name)));
}
