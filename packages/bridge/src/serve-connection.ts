// One connection of a bridge process. Requests are answered one after the other, in order; a
// second frame that comes early waits. When the bridge is gone (a cancelled call closes its
// connection), the running function's signal is aborted.

import {
  bridgeProtocol,
  errorTable,
  HawserError,
  toHawserError,
  untilAborted,
  type BridgeRequest,
  type Incoming,
  type ToolContext,
  type Transport,
} from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import type { IPCErrorResponse, IPCResponse, ToolResultContent } from "./contract.ts";
import type { ToolHost } from "./tool-host.ts";
import { textResult } from "./tool-result.ts";

export interface ServeConnectionOptions {
  readonly host: ToolHost;
  /** Named in the answer to `hello`: where the bridge may put results that are too large for its client. */
  readonly privateDirectory: string;
  /** Aborted when the session stops. */
  readonly signal: AbortSignal;
}

type Answer = IPCResponse | IPCErrorResponse;
type Hello = Extract<BridgeRequest, { method: "hello" }>["params"];

export async function serveConnection(transport: Transport, options: ServeConnectionOptions): Promise<void> {
  let hello: Hello | undefined;
  let running: AbortController | undefined;
  void transport.closed.then((cause) =>
    running?.abort(new HawserError("cancelled", "the client cancelled the call or is gone", { cause })),
  );

  async function answer(item: Incoming): Promise<Answer> {
    if (item.kind === "refused") throw item.error;
    options.signal.throwIfAborted();
    const request = bridgeProtocol.parseRequest(item.value);
    if (request.method === "hello") {
      hello = request.params;
      return { result: { ...textResult("hello"), hello: { features: [...features], privateDirectory: options.privateDirectory } } };
    }
    const { name, arguments: args } = request.params;
    // Of its own for each call: what ends the connection later must not reach a function that has returned.
    const { signal } = (running = new AbortController());
    const outcome = await untilAborted(signal, options.host.call(name, args, createContext(signal)));
    running = undefined;
    return "result" in outcome && hello && !hello.features.includes("richContent") ? toPlainContent(outcome) : outcome;
  }

  function createContext(signal: AbortSignal): ToolContext {
    const tell = (feature: string, frame: object): void => {
      // Progress may be dropped: a bridge that does not read must not slow the function down.
      if (hello?.features.includes(feature)) transport.send(frame).catch(() => {});
    };
    return {
      signal,
      client: hello?.client && { name: hello.client.name, ...(hello.client.version !== undefined && { version: hello.client.version }) },
      progress: (progress, total, message) =>
        tell("progress", { progress: { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) } }),
      log: (message, level = "info") => tell("log", { log: { level, message } }),
    };
  }

  // A stopping session ends idle connections at once; a busy one first gets the answer that it was cancelled.
  let isBusy = false;
  const onStop = (): void => {
    running?.abort(options.signal.reason);
    if (!isBusy) void transport.close();
  };
  options.signal.addEventListener("abort", onStop, { once: true });
  for await (const item of transport.incoming) {
    isBusy = true;
    const frame = await answer(item).catch((error: unknown) => ({ error: payloadOf(toHawserError(error)) }));
    await send(transport, frame);
    isBusy = false;
    if (options.signal.aborted || (item.kind === "refused" && item.fatal)) break;
  }
  options.signal.removeEventListener("abort", onStop);
  await transport.close();
}

const features = ["progress", "log", "richContent"] as const;

const payloadOf = ({ code, message }: HawserError): IPCErrorResponse["error"] => ({ message, type: errorTable[code].ipcType });

// A result that can't be sent is an answer too: its caller learns the size, and the connection lives.
async function send(transport: Transport, frame: Answer): Promise<void> {
  try {
    await transport.send(frame);
  } catch (error) {
    const { code, message } = toHawserError(error);
    if (code === "closed" || code === "connection_lost") return;
    const hint = code === "too_large" ? "return less, in pages, or a path to a file" : "return plain data";
    await transport
      .send({ error: { message: `the result can't be sent: ${message}; ${hint}`, type: errorTable[code].ipcType } })
      .catch((cause: unknown) => {
        logLine(`[hawser] bridge session: ${toHawserError(cause).message}`);
      });
  }
}

/** For a bridge that said it knows text only: other blocks are described, not lost in silence. */
function toPlainContent(answer: IPCResponse): IPCResponse {
  const content = answer.result.content.map((block): ToolResultContent => {
    if (block.type === "text") return block;
    const { uri, mimeType } = block as { uri?: unknown; mimeType?: unknown };
    return {
      type: "text",
      text: `[${block.type}${typeof mimeType === "string" ? ` ${mimeType}` : ""}${typeof uri === "string" ? ` ${uri}` : ""}]`,
    };
  });
  return { result: { ...answer.result, content } };
}
