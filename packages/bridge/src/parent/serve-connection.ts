// One connection of a bridge process. Requests are answered one after the other, in order. When the bridge is gone (a cancelled call
// closes its connection), the running function's signal is aborted.

import { createByteBudget, type Incoming, type Lease, taken, type Transport, weighJsonText, wireLimits } from "@hawser/wire/internal";
import { bridgeProtocol, errorTable, HawserError, toHawserError, type BridgeRequest } from "@hawser/protocol";
import { checkSource, type ToolContext } from "@hawser/tools/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { CallToolParams, IPCErrorResponse, IPCResponse, ToolResultContent } from "../contract/contract.ts";
import { helloFeatures, type HelloFeature, toBoundedText, toProgress } from "../contract/notes.ts";
import type { ContractTools } from "./contract-tools.ts";
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

type Answer = IPCResponse | IPCErrorResponse;
type Hello = Extract<BridgeRequest, { method: "hello" }>["params"];

export async function serveConnection(transport: Transport, options: ServeConnectionOptions): Promise<void> {
  const unsentNotes = createByteBudget(wireLimits.maxMessageBytes);
  let hello: Hello | undefined;
  let running: AbortController | undefined;
  let giveUp: ((reason: unknown) => void) | undefined;
  let toolName = "";
  let isBusy = false;
  let isGone = false;

  async function answer(item: Incoming): Promise<Answer> {
    if (item.kind === "refused") throw item.error;
    options.signal.throwIfAborted();
    const request = bridgeProtocol.parseRequest(item.value);
    if (request.method === "hello") {
      hello = request.params;
      return { result: { ...textResult("hello"), hello: { features: [...helloFeatures], privateDirectory: options.privateDirectory } } };
    }
    return callTool(request.params, item.text);
  }

  async function callTool({ name, arguments: args }: CallToolParams, text: string): Promise<Answer> {
    if (Array.isArray(args)) throw new HawserError("invalid_message", '"params.arguments": expected an object, received an array');
    toolName = name;
    // One for each call: the end of the connection must not reach a function that has returned.
    const call = (running = new AbortController());
    let held: Lease | undefined;
    try {
      await checkSource(name, args, text, ["params", "arguments"]);
      const weight = weighJsonText(text);
      held = options.room.budget.tryAcquire(weight) ?? (await options.room.acquire(weight, call.signal));
      call.signal.throwIfAborted();
      const outcome = await new Promise<Answer>((resolve, reject) => {
        giveUp = reject;
        void options.tools.call(name, args, createContext(call)).then(resolve);
      });
      const isPlain = hello !== undefined && !hello.features.includes("richContent");
      return "result" in outcome && isPlain ? toPlainContent(outcome) : outcome;
    } catch (error) {
      return { error: toErrorPayload(name, error) };
    } finally {
      held?.release();
      running = undefined;
      giveUp = undefined;
    }
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
    isGone = true;
    abort(new HawserError("cancelled", "the client cancelled the call or is gone", { cause }));
  });
  // A stopping session ends idle connections at once; a busy one first gets the answer that its call was cancelled.
  const onStop = (): void => {
    abort(options.signal.reason);
    if (!isBusy) void transport.close();
  };
  options.signal.addEventListener("abort", onStop, { once: true });
  for await (const item of transport.incoming) {
    // Requests that a client left behind are not begun.
    if (isGone) break;
    isBusy = true;
    const frame = await answer(item).catch((error: unknown) => ({ error: payloadOf(toHawserError(error)) }));
    await send(transport, frame, { room: options.room, toolName });
    isBusy = false;
    if (options.signal.aborted || (item.kind === "refused" && item.fatal)) break;
  }
  options.signal.removeEventListener("abort", onStop);
  await transport.close();
}

const levels: readonly string[] = ["debug", "info", "warning", "error"];

const payloadOf = ({ code, message }: HawserError): IPCErrorResponse["error"] => ({ message, type: errorTable[code].ipcType });

const isGoneCode = (code: string): boolean => code === "closed" || code === "connection_lost";

const sendHints: ReadonlyMap<string, string> = new Map([
  ["too_large", "Return less, in pages, or a path to a file"],
  ["overloaded", "Return less, or a path to a file"],
]);

// A result that can't be sent becomes an error: its caller learns the size, and the connection lives.
async function send(transport: Transport, frame: Answer, { room, toolName }: { room: SessionRoom; toolName: string }): Promise<void> {
  try {
    // An error is small, and often about the very lack of room.
    const sendable = "result" in frame ? room.whenSendable() : undefined;
    if (sendable) await sendable;
    const sent = transport.send(frame);
    if (sent !== taken) await sent;
  } catch (error) {
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
