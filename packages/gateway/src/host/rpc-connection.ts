// One rpc process and the calls in it. It lives from its start to its end and is not revived: when it
// ends, whoever waits is told so, and that the call may or may not have been made.

import { setTimeout as sleep } from "node:timers/promises";
import { createNoiseLog, createPendingTable, describeThrown, HawserError, isRecord, limits, memberSource } from "@hawser/wire";
import { rpcProtocol, toHawserError } from "@hawser/wire";
import type { CallData, CallItem, HelloData, Incoming, Refused, RpcResponse } from "@hawser/wire";
import { logLine, ndjson, startChild, type Child } from "@hawser/wire/node";
import { checkHello, hasFeature } from "./handshake.ts";

/** How a call ended: the answer's own members and what its `data` says. */
export interface HostOutcome extends CallData {
  readonly ok: boolean;
  /** 0 success, 2 usage or configuration, 6 authentication, 7 everything else. */
  readonly code: number;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

export interface HostCallOptions {
  /** Ends the call; the server is told if it can cancel. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, beside the call's own `timeout`. */
  readonly timeoutMs?: number | undefined;
}

export interface ConnectionOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  readonly requiredFeatures?: readonly string[] | undefined;
  readonly handshakeMs?: number | undefined;
  onStderr?(chunk: Buffer): void;
}

export interface RpcConnection {
  readonly hello: HelloData;
  readonly isEnded: boolean;
  /** Requests that were answered, the handshake not counted. */
  readonly answered: number;
  call(item: CallItem, options?: HostCallOptions): Promise<HostOutcome>;
  request(op: string, options?: HostCallOptions): Promise<RpcResponse>;
  /** Ends the process and resolves when it is gone; whoever waits is told the reason. */
  close(reason: HawserError): Promise<void>;
}

/** Starts the process and shakes hands; rejects with `start_failed`, and leaves nothing running then. */
export async function openRpcConnection(options: ConnectionOptions): Promise<RpcConnection> {
  const { command, args, env, cwd, onStderr = () => {} } = options;
  const child = await startChild({ command, args, env, cwd, codec: ndjson, onStderr });
  const exchange = createExchange(child);
  let hello: HelloData;
  try {
    const answer = await exchange.request("hello", undefined, { timeoutMs: options.handshakeMs ?? limits.hostHandshakeMs });
    hello = checkHello(answer, options.requiredFeatures);
  } catch (error) {
    await exchange.close(new HawserError("closed", "the handshake failed"));
    if (HawserError.isInstance(error) && error.code === "start_failed") throw error;
    throw new HawserError("start_failed", `${command} rpc did not answer hello: ${describeThrown(error)}`, { cause: error });
  }
  const canCancel = hasFeature(hello.features, "cancel");
  return {
    hello,
    get isEnded() {
      return exchange.isEnded;
    },
    get answered() {
      return exchange.answered - 1;
    },
    call: async (item, callOptions = {}) => toOutcome(await exchange.request("call", item, { ...callOptions, canCancel })),
    request: (op, callOptions = {}) => exchange.request(op, undefined, callOptions),
    close: exchange.close,
  };
}

interface Exchange {
  readonly isEnded: boolean;
  readonly answered: number;
  request(op: string, args: object | undefined, options: HostCallOptions & { canCancel?: boolean }): Promise<RpcResponse>;
  close(reason: HawserError): Promise<void>;
}

function createExchange({ transport, exited, stop }: Child): Exchange {
  const pending = createPendingTable<never, RpcResponse>();
  const noteNoise = createNoiseLog((words) => logLine(`[hawser] the gateway process: ${words}`));
  let isEnded = false;
  let answered = 0;
  let lastId = 0;
  let lastSend: Promise<void> = Promise.resolve();

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) receive(item);
    isEnded = true;
    pending.close(await whyEnded(exited));
    await stop();
  }

  /** A late answer and one without an id change nothing; what isn't an answer at all is told. */
  function receive(item: Incoming): void {
    if (item.kind === "refused") return receiveRefused(item);
    if (!isRecord(item.value)) return noteNoise(item.text);
    const { id } = item.value;
    if (typeof id === "string" && pending.resolve(id, item.value as unknown as RpcResponse)) answered++;
  }

  /** Its call ends: there will be no other answer to it. */
  function receiveRefused({ head, error }: Refused): void {
    const id = memberSource(head, "id");
    // Our ids are plain: between their quotes stands what they are.
    if (id !== undefined)
      pending.reject(id.slice(1, -1), new HawserError("invalid_message", `the server's answer was refused: ${error.message}`));
    // One that is ended may leave half a line.
    else if (!isEnded) noteNoise(head);
  }

  /** A server that takes no more input gets no further call, though its output may not have ended yet. */
  function endNow(): void {
    isEnded = true;
    void stop();
  }

  function send(message: object): Promise<void> {
    // One after the other: a busy server slows its host, and the transport never holds more than one message.
    const sent = lastSend.then(() => transport.send(message));
    lastSend = sent.catch(() => {});
    return sent;
  }

  function request(op: string, args: object | undefined, options: HostCallOptions & { canCancel?: boolean }): Promise<RpcResponse> {
    const id = `h${++lastId}`;
    const answer = pending.wait(id, { signal: options.signal, totalMs: options.timeoutMs });
    if (options.signal?.aborted || isEnded) return answer;
    send({ id, op, args }).catch((error: unknown) => {
      const failure = toHawserError(error);
      if (isGone(failure)) endNow();
      pending.reject(id, failure);
    });
    if (options.canCancel) {
      answer.catch((error: unknown) => {
        if (isAbandoned(error)) send({ op: "cancel", args: { id } }).catch(() => {});
      });
    }
    return answer;
  }

  const reading = readAll();
  return {
    get isEnded() {
      return isEnded;
    },
    get answered() {
      return answered;
    },
    request,
    async close(reason) {
      isEnded = true;
      pending.close(reason);
      await stop();
      await reading;
    },
  };
}

/** The wait ended from our side: the server may still be at it. */
const isAbandoned = (error: unknown): boolean => ["cancelled", "timeout"].includes(toHawserError(error).code);

const isGone = ({ code }: HawserError): boolean => code === "connection_lost" || code === "closed";

const exitWaitMs = 2_000;

async function whyEnded(exited: Child["exited"]): Promise<HawserError> {
  const exit = await Promise.race([exited, sleep(exitWaitMs, undefined, { ref: false })]);
  const how = exit ? (exit.signal ?? `exit code ${exit.code}`) : "its output was closed";
  const message = `the gateway process ended (${how}) before it answered; the call may have been made, and is not repeated`;
  return new HawserError("connection_lost", message, { facts: { ...exit } });
}

function toOutcome(response: RpcResponse): HostOutcome {
  const { ok, code, status, error, data } = checked(response);
  const known = typeof data === "object" && data !== null && !Array.isArray(data) ? (data as CallData) : {};
  return { ...known, ok, code, ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
}

/** A host acts on `ok` and `code`: an answer without them is none. */
function checked(response: RpcResponse): RpcResponse {
  try {
    return rpcProtocol.parseResponse(response);
  } catch (cause) {
    throw new HawserError("invalid_message", `the server sent an invalid answer: ${describeThrown(cause)}`, { cause });
  }
}
