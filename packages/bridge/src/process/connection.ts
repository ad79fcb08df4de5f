// One connection of the bridge to the program that owns the functions: one request at a time.
// Says `hello` first; a parent that answers with an error is served by the plain contract.

import { bridgeProtocol, HawserError, IPCError, toIPCError, type BridgeResponse, type Incoming, type LogLevel } from "@hawser/wire";
import { connectSocket, createStreamTransport, lengthPrefix } from "@hawser/wire/node";
import type { CallToolParams, ToolResult } from "../contract.ts";

export interface CallEvents {
  onProgress(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
  onLog(log: { level: LogLevel; message: string }): void;
}

export interface ParentConnection {
  /** Where the parent allows large results to be put, if it said so. */
  readonly privateDirectory: string | undefined;
  /** Resolves when the connection can't be used any more. */
  readonly closed: Promise<HawserError | undefined>;
  /** Rejects with the contract's error classes. A connection that failed once is not used again. */
  call(params: CallToolParams, events: CallEvents): Promise<ToolResult>;
  close(reason?: HawserError): void;
}

export interface ConnectionOptions {
  readonly socketPath: string;
  readonly client: { readonly name: string; readonly version?: string | undefined } | undefined;
  readonly signal: AbortSignal;
}

export async function connectToParent(options: ConnectionOptions): Promise<ParentConnection> {
  const socket = await connectSocket(options.socketPath, { signal: options.signal }).catch((error: HawserError) => {
    throw toIPCError(error);
  });
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  const answers = transport.incoming[Symbol.asyncIterator]();
  const silent: CallEvents = { onProgress: () => {}, onLog: () => {} };

  async function request(message: object, events: CallEvents): Promise<ToolResult> {
    await transport.send(message).catch((error: HawserError) => {
      throw toIPCError(error);
    });
    for (;;) {
      const { value, done } = await answers.next();
      if (done)
        throw toIPCError(new HawserError("connection_lost", "the program that offers the tools closed the connection before it answered"));
      const response = readResponse(value);
      if ("error" in response) throw parentError(response.error);
      if ("result" in response) return response.result;
      if ("progress" in response) events.onProgress(response.progress);
      if ("log" in response) events.onLog(response.log);
    }
  }

  const { hello } = await sayHello(request, options.client, silent);
  return {
    privateDirectory: hello?.privateDirectory,
    closed: transport.closed,
    call: (params, events) => request({ method: "call_tool", params }, events),
    close: (reason) => void transport.close(reason),
  };
}

type Request = (message: object, events: CallEvents) => Promise<ToolResult>;

async function sayHello(request: Request, client: ConnectionOptions["client"], events: CallEvents): Promise<Partial<ToolResult>> {
  const params = { features: ["progress", "log", "richContent"], ...(client && { client }) };
  try {
    return await request({ method: "hello", params }, events);
  } catch (error) {
    // An error that the parent sent means only that it does not know `hello`.
    if (error instanceof ParentError) return {};
    throw error;
  }
}

/** An error that the parent sent: `type` is the class it named. */
export class ParentError extends IPCError {
  readonly type: string;
  constructor(message: string, type: string) {
    super(message, { facts: { type } }, "tool_failed");
    this.type = type;
  }
}

const parentError = ({ message, type }: { message: string; type: string }): ParentError => new ParentError(message, type);

function readResponse(item: Incoming): BridgeResponse {
  if (item.kind === "refused")
    throw new IPCError(
      `the program that offers the tools sent what can't be read: ${item.error.message}`,
      { cause: item.error },
      item.error.code,
    );
  try {
    return bridgeProtocol.parseResponse(withContent(item.value));
  } catch (cause) {
    throw new IPCError(
      `the program that offers the tools sent an invalid answer: ${(cause as Error).message}`,
      { cause },
      "invalid_message",
    );
  }
}

// Some parents answer with no content at all; an empty text says the same and is valid.
function withContent(value: unknown): unknown {
  const result = (value as { result?: { content?: unknown } } | null)?.result;
  if (!Array.isArray(result?.content) || result.content.length > 0) return value;
  return { ...(value as object), result: { ...result, content: [{ type: "text", text: "" }] } };
}
