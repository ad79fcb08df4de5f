// One rpc process and the calls in it. It lives from its start to its end and is not revived: when it
// ends, its callers are told so, and that the call may or may not have been made.

import { gatewayLimits } from "../limits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallData,
  type CallItem,
  createNoiseLog,
  describeThrown,
  HawserError,
  type HelloData,
  isRecord,
  rpcProtocol,
  type RpcResponse,
  toHawserError,
} from "@hawser/protocol/internal";
import { createOutbox, createPendingTable, type Incoming, memberSource, type Refused } from "@hawser/wire/internal";
import { type Child, logLine, ndjson, startChild } from "@hawser/wire/internal/node";
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
  /** Ends the process and resolves when it is gone; waiting calls are rejected with the reason. */
  close(reason: HawserError): Promise<void>;
}

/** Starts the process and shakes hands; rejects with `start_failed`, and leaves nothing running then. */
export async function openRpcConnection(options: ConnectionOptions): Promise<RpcConnection> {
  const { command, args, env, cwd, onStderr = () => {} } = options;
  const { transport, exited, stop } = await startChild({ command, args, env, cwd, codec: ndjson, onStderr });
  const pending = createPendingTable<never, RpcResponse>();
  // One after the other: a busy server slows its host, and the transport never holds more than one message.
  const outbox = createOutbox<object>({ send: (message) => transport.send(message), maxUnsent: 1 });
  const noteNoise = createNoiseLog((words) => logLine(`[hawser] the gateway process: ${words}`));
  let canCancel = false;
  let lastId = 0;

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) receive(item);
    connection.isEnded = true;
    pending.close(await whyEnded(exited));
    await stop();
  }

  /** A late answer and one without an id change nothing; a line that isn't an answer is told. */
  function receive(item: Incoming): void {
    if (item.kind === "refused") return receiveRefused(item);
    if (!isRecord(item.value)) return noteNoise(item.text);
    const { id } = item.value;
    if (typeof id === "string" && pending.resolve(id, item.value as unknown as RpcResponse)) connection.answered++;
  }

  /** Its call ends: there will be no other answer to it. */
  function receiveRefused({ head, error }: Refused): void {
    const id = memberSource(head, "id");
    // Our ids are plain: between their quotes stands what they are.
    if (id !== undefined)
      pending.reject(id.slice(1, -1), new HawserError("invalid_message", `the server's answer was refused: ${error.message}`));
    // One that is ended may leave half a line.
    else if (!connection.isEnded) noteNoise(head);
  }

  function request(op: string, item: object | undefined, { signal, timeoutMs }: HostCallOptions): Promise<RpcResponse> {
    const id = `h${++lastId}`;
    const answer = pending.wait(id, { signal, totalMs: timeoutMs });
    if (signal?.aborted || connection.isEnded) return answer;
    outbox.put({ id, op, args: item }, (failure) => {
      if (!failure) return;
      // A server that takes no more input gets no further call, though its output may not have ended yet.
      if (failure.code === "connection_lost" || failure.code === "closed") {
        connection.isEnded = true;
        void stop();
      }
      pending.reject(id, failure);
    });
    if (op === "call" && canCancel) {
      answer.catch((error: unknown) => {
        // The wait ended from our side: the server may still be at it.
        if (["cancelled", "timeout"].includes(toHawserError(error).code)) outbox.put({ op: "cancel", args: { id } });
      });
    }
    return answer;
  }

  async function shakeHands(): Promise<HelloData> {
    try {
      const answer = await request("hello", undefined, { timeoutMs: options.handshakeMs ?? gatewayLimits.hostHandshakeMs });
      return checkHello(answer, options.requiredFeatures);
    } catch (error) {
      await close(new HawserError("closed", "the handshake failed"));
      if (HawserError.isInstance(error) && error.code === "start_failed") throw error;
      throw new HawserError("start_failed", `${command} rpc did not answer hello: ${describeThrown(error)}`, { cause: error });
    }
  }

  async function close(reason: HawserError): Promise<void> {
    connection.isEnded = true;
    pending.close(reason);
    await stop();
    await reading;
  }

  const connection = { isEnded: false, answered: 0 };
  const reading = readAll();
  const hello = await shakeHands();
  connection.answered = 0;
  canCancel = hasFeature(hello.features, "cancel");
  return Object.assign(connection, {
    hello,
    call: async (item: CallItem, callOptions: HostCallOptions = {}) => toOutcome(await request("call", item, callOptions)),
    request: (op: string, callOptions: HostCallOptions = {}) => request(op, undefined, callOptions),
    close,
  });
}

const exitWaitMs = 2_000;

async function whyEnded(exited: Child["exited"]): Promise<HawserError> {
  const exit = await Promise.race([exited, sleep(exitWaitMs, undefined, { ref: false })]);
  const how = exit ? (exit.signal ?? `exit code ${exit.code}`) : "its output was closed";
  const message = `the gateway process ended (${how}) before it answered; the call may have been made, and is not repeated`;
  return new HawserError("connection_lost", message, { facts: { ...exit } });
}

/** A host acts on `ok` and `code`: an answer without them is invalid. */
function toOutcome(response: RpcResponse): HostOutcome {
  try {
    const { ok, code, status, error, data } = rpcProtocol.parseResponse(response);
    return {
      ...(isRecord(data) && (data as CallData)),
      ok,
      code,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
    };
  } catch (cause) {
    throw new HawserError("invalid_message", `the server sent an invalid answer: ${describeThrown(cause)}`, { cause });
  }
}
