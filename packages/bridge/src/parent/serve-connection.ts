// One connection of a bridge process. Requests are answered one after the other, in order. When the bridge is gone (a cancelled call
// closes its connection), the running function's signal is aborted.

import { createByteBudget, type Incoming, type Lease, readEach, taken, type Transport, weightOf, wireLimits } from "@hawser/wire/internal";
import { bridgeProtocol, errorTable, HawserError, toHawserError, type BridgeRequest } from "@hawser/protocol";
import { checkSource, type ToolContext } from "@hawser/tools/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { CallToolParams, IPCErrorResponse, IPCResponse, ToolResultContent } from "../contract/contract.ts";
import { helloFeatures, type HelloFeature, toBoundedText, toProgress } from "../contract/notes.ts";
import type { Answer, ContractTools } from "./contract-tools.ts";
import type { SessionRoom } from "./session-room.ts";
import { textResult, toErrorPayload } from "./tool-result.ts";

interface ServeConnectionOptions {
  readonly tools: ContractTools;
  readonly room: SessionRoom;
  /** Named in the answer to `hello`: where the bridge may put results that are too large for its client. */
  readonly privateDirectory: string;
  /** Aborted when the session stops. */
  readonly signal: AbortSignal;
}

interface Call extends CallToolParams {
  readonly controller: AbortController;
}

type Hello = Extract<BridgeRequest, { method: "hello" }>["params"];

/** Resolves when the connection has ended. A call whose function answers at once is answered before this connection is read again. */
export async function serveConnection(transport: Transport, options: ServeConnectionOptions): Promise<void> {
  const unsentNotes = createByteBudget(wireLimits.maxMessageBytes);
  let hello: Hello | undefined;
  let running: AbortController | undefined;
  let giveUp: ((reason: unknown) => void) | undefined;
  let toolName = "";
  let isBusy = false;
  /** The client is gone, or we have done with it: what it has left behind is not begun. */
  let isOver = false;

  function answer(item: Incoming): Promise<Answer> | Answer {
    if (item.kind === "refused") throw item.error;
    options.signal.throwIfAborted();
    const request = bridgeProtocol.parseRequest(item.value);
    if (request.method === "hello") {
      hello = request.params;
      return { result: { ...textResult("hello"), hello: { features: [...helloFeatures], privateDirectory: options.privateDirectory } } };
    }
    const { name, arguments: args } = request.params;
    if (Array.isArray(args)) throw new HawserError("invalid_message", '"params.arguments": expected an object, received an array');
    toolName = name;
    const checking = checkSource(name, args, item.text, ["params", "arguments"]);
    const held = checking ? undefined : options.room.budget.tryAcquire(weightOf(item));
    // One for each call: the end of the connection must not reach a function that has returned.
    const call = { name, arguments: args, controller: (running = new AbortController()) };
    return held ? finish(begin(call), held) : callWhenReady(call, { checking, weight: weightOf(item) });
  }

  async function callWhenReady(call: Call, { checking, weight }: { checking: Promise<void> | undefined; weight: number }): Promise<Answer> {
    try {
      await checking;
      const { signal } = call.controller;
      const held = options.room.budget.tryAcquire(weight) ?? (await options.room.acquire(weight, signal));
      return await finish(signal.aborted ? failed(call.name, signal.reason) : begin(call), held);
    } catch (error) {
      return finish(failed(call.name, error), undefined);
    }
  }

  function begin({ name, arguments: args, controller }: Call): Promise<Answer> | Answer {
    const outcome = options.tools.call(name, args, createContext(controller));
    // By the function itself, which has stopped the session.
    if (controller.signal.aborted) return failed(name, controller.signal.reason);
    if (!(outcome instanceof Promise)) return outcome;
    return new Promise((resolve) => {
      giveUp = (reason) => resolve(failed(name, reason));
      void outcome.then(resolve);
    });
  }

  function finish(outcome: Promise<Answer> | Answer, held: Lease | undefined): Promise<Answer> | Answer {
    if (outcome instanceof Promise) return outcome.then((answered) => finish(answered, held));
    held?.release();
    running = undefined;
    giveUp = undefined;
    const isPlain = hello !== undefined && !hello.features.includes("richContent");
    return "result" in outcome && isPlain ? toPlainContent(outcome) : outcome;
  }

  // The call is over now, whether its function listens to the signal or not.
  function abort(reason: unknown): void {
    running?.abort(reason);
    giveUp?.(reason);
  }

  function createContext(call: AbortController): ToolContext {
    // Only between request and answer: later it would reach the next call. A bridge that doesn't read loses progress
    // rather than slowing the function down, and room is left for the answer.
    const tell = (feature: HelloFeature, frame: object): void => {
      if (running !== call || !hello?.features.includes(feature)) return;
      const note = unsentNotes.tryAcquire(Buffer.byteLength(JSON.stringify(frame)));
      if (note) transport.send(frame).then(note.release, note.release);
    };
    return {
      signal: call.signal,
      client: hello?.client && { name: hello.client.name, ...(hello.client.version !== undefined && { version: hello.client.version }) },
      // A bridge would end the call over a frame that breaks the protocol, so values that can't be sent are left out.
      progress(...told) {
        const progress = toProgress(...told);
        if (progress) tell("progress", { progress });
      },
      log: (message, level = "info") =>
        tell("log", { log: { level: levels.includes(level) ? level : "info", message: toBoundedText(message) } }),
    };
  }

  void transport.closed.then((cause) => {
    isOver = true;
    abort(new HawserError("cancelled", "the client cancelled the call or is gone", { cause }));
  });
  // A stopping session ends idle connections at once; a busy one first gets the answer that its call was cancelled.
  const onStop = (): void => {
    abort(options.signal.reason);
    if (!isBusy) void transport.close();
  };
  options.signal.addEventListener("abort", onStop, { once: true });
  await readEach(transport.incoming, receive);
  options.signal.removeEventListener("abort", onStop);
  await transport.close();

  function receive(item: Incoming): Promise<void> | undefined {
    if (isOver) return undefined;
    isBusy = true;
    let frame: Promise<Answer> | Answer;
    try {
      frame = answer(item);
    } catch (error) {
      frame = { error: payloadOf(toHawserError(error)) };
    }
    const isLast = item.kind === "refused" && item.fatal;
    const sent = frame instanceof Promise ? frame.then(reply) : reply(frame);
    return sent ? sent.then(() => rest(isLast)) : rest(isLast);
  }

  function reply(frame: Answer): Promise<void> | undefined {
    return send(transport, frame, { room: options.room, toolName });
  }

  function rest(isLast: boolean): undefined {
    isBusy = false;
    if (!options.signal.aborted && !isLast) return;
    isOver = true;
    void transport.close();
  }
}

const failed = (toolName: string, error: unknown): IPCErrorResponse => ({ error: toErrorPayload(toolName, error) });

const levels: readonly string[] = ["debug", "info", "warning", "error"];

const payloadOf = ({ code, message }: HawserError): IPCErrorResponse["error"] => ({ message, type: errorTable[code].ipcType });

const isGoneCode = (code: string): boolean => code === "closed" || code === "connection_lost";

const sendHints: ReadonlyMap<string, string> = new Map([
  ["too_large", "Return less, in pages, or a path to a file"],
  ["overloaded", "Return less, or a path to a file"],
]);

// A result that can't be sent becomes an error: its caller learns the size, and the connection lives.
function send(transport: Transport, frame: Answer, { room, toolName }: { room: SessionRoom; toolName: string }): Promise<void> | undefined {
  // An error is small, and often about the very lack of room.
  const sendable = "result" in frame ? room.whenSendable() : undefined;
  const sent = sendable ? sendable.then(() => transport.send(frame)) : transport.send(frame);
  return sent === taken ? undefined : sent.catch((error: unknown) => sendFailure(transport, error, toolName));
}

async function sendFailure(transport: Transport, error: unknown, toolName: string): Promise<void> {
  const { code, message } = toHawserError(error);
  if (isGoneCode(code)) return;
  const hint = sendHints.get(code) ?? "Return plain data";
  await transport
    .send({ error: { message: `the result of tool "${toolName}" can't be sent: ${message}. ${hint}`, type: errorTable[code].ipcType } })
    .catch((cause: unknown) => {
      const failure = toHawserError(cause);
      if (!isGoneCode(failure.code)) logLine(`[hawser] bridge session: ${failure.message}`);
    });
}

/** For a bridge that said it knows text only: other blocks are described instead of dropped. */
function toPlainContent(answer: IPCResponse): IPCResponse {
  return { result: { ...answer.result, content: answer.result.content.map(toTextBlock) } };
}

function toTextBlock(block: ToolResultContent): ToolResultContent {
  if (block.type === "text") return block;
  // An embedded resource describes itself one level deeper, and may be text.
  const described = (block.type === "resource" ? (block as { resource?: unknown }).resource : block) as Record<string, unknown> | null;
  const { text, uri, mimeType } = described ?? {};
  const facts = [block.type, mimeType, uri].filter((fact) => typeof fact === "string").join(" ");
  return { type: "text", text: typeof text === "string" ? `[${facts}]\n${text}` : `[${facts}]` };
}
