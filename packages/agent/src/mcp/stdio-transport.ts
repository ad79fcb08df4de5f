// An MCP server that is our child, which never outlives us: lines on its stdin and stdout. Adds what the MCP client
// leaves out: a cancelled call is announced to the server, progress reaches its call, an answer that can't be read ends
// the calls that may have waited for it, and what isn't a message at all is told and skipped.

import { type Incoming, memberSource, wireLimits } from "@hawser/wire/internal";
import type { MCPTransport, MCPTransportSendOptions } from "@ai-sdk/mcp";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { createLastWords, describeExit, ndjson, startChild, type Child } from "@hawser/wire/internal/node";
import { commandEnvironment } from "../tools/command/run-program.ts";
import { callScope, type CallScope } from "./http-fetch.ts";
import type { ServerAddress } from "./server-address.ts";

export interface StdioTransportOptions {
  readonly address: Extract<ServerAddress, { type: "stdio" }>;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Told once, when the server is gone without having been closed. */
  onLost(reason: string): void;
  onToolsChanged(): void;
  /** A line that isn't a message, or its beginning. */
  onNoise(line: string): void;
}

type Message = Parameters<MCPTransport["send"]>[0];

/** The code of JSON-RPC for what went wrong on the way. */
const internalError = -32_603;

export function createStdioTransport(options: StdioTransportOptions): MCPTransport {
  const { address, environment, cwd } = options;
  /** Requests without an answer, with the call that each belongs to. */
  const open = new Map<string | number, CallScope | undefined>();
  let child: Child | undefined;
  let starting: Promise<void> | undefined;
  let isClosing = false;
  const lastWords = createLastWords();

  async function startServer(): Promise<void> {
    child = await startChild({
      command: address.command,
      args: address.args,
      // Never our own environment: it holds keys.
      env: { ...commandEnvironment(environment), ...address.env },
      cwd: address.cwd ?? cwd,
      codec: ndjson,
      // Many are started by a program that starts another: npx, uvx, a shell.
      isGuarded: true,
      onStderr: lastWords.add,
    });
    void readAll(child);
  }

  async function readAll(running: Child): Promise<void> {
    for await (const item of running.transport.incoming) receive(item);
    if (isClosing) return;
    isClosing = true;
    const end = describeExit(await running.stop(), lastWords.text);
    options.onLost(`it ${end}`);
    transport.onclose?.();
  }

  function receive(item: Incoming): void {
    if (item.kind === "refused") return receiveRefused(item.error, item.head);
    const message = item.value;
    if (!isRecord(message) || message["jsonrpc"] !== "2.0") return options.onNoise(item.text);
    if (message["method"] === "notifications/progress") return receiveProgress(message["params"]);
    if (message["method"] === "notifications/tools/list_changed") return options.onToolsChanged();
    if (typeof message["method"] === "string") return deliver(message as unknown as Message);
    if (!isId(message["id"])) return options.onNoise(item.text);
    receiveAnswer(message["id"], message);
  }

  /** An answer without a request belongs to a call that was cancelled, and is dropped. */
  function receiveAnswer(id: string | number, message: Record<string, unknown>): void {
    const openId = [...open.keys()].find((each) => String(each) === String(id));
    if (openId === undefined) return;
    // The client would neither take such an answer nor end the call.
    if (!("result" in message) && !isRecord(message["error"])) return fail(openId, "its answer is neither a result nor an error");
    open.delete(openId);
    deliver({ ...message, id: openId } as unknown as Message);
  }

  function deliver(message: Message): void {
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // The client throws for an answer that has no waiter any more.
      transport.onerror?.(error as Error);
    }
  }

  function fail(id: string | number, message: string): void {
    open.delete(id);
    deliver({ jsonrpc: "2.0", id, error: { code: internalError, message } });
  }

  function receiveRefused(error: HawserError, head: string): void {
    const ids = idsIn(head, [...open.keys()]);
    for (const id of ids) fail(id, `its answer was refused: ${error.message}`);
    // One that is ended may leave half a line.
    if (ids.length === 0 && !isClosing) options.onNoise(head);
  }

  function receiveProgress(params: unknown): void {
    if (!isRecord(params) || typeof params["progress"] !== "number") return;
    const { progress, total, message } = params;
    const scope = open.get(params["progressToken"] as string | number);
    scope?.progress(progress, typeof total === "number" ? total : undefined, typeof message === "string" ? message : undefined);
  }

  async function send(message: Message, { signal }: MCPTransportSendOptions = {}): Promise<void> {
    if (!child || isClosing) throw new HawserError("closed", "the server is not running");
    if (!("method" in message) || !("id" in message)) return child.transport.send(message);
    const { id, method } = message;
    open.set(id, callScope.getStore());
    signal?.addEventListener("abort", () => cancel(id, method), { once: true });
    const params = method === "tools/call" ? withProgressToken(message.params, id) : message.params;
    await child.transport.send({ ...message, ...(params && { params }) });
  }

  function cancel(requestId: string | number, method: string): void {
    // An answered call is not cancelled; and a server that has not agreed to the protocol yet need not understand this.
    if (!open.delete(requestId) || isClosing || method !== "tools/call") return;
    const params = { requestId, reason: "the caller does not wait any more" };
    child?.transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {});
  }

  async function close(): Promise<void> {
    isClosing = true;
    await starting?.catch(() => {});
    await child?.stop();
    transport.onclose?.();
  }

  const transport: MCPTransport = { supportsProtocolVersionDiscovery: true, start: () => (starting ??= startServer()), send, close };
  return transport;
}

const isId = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

/** The requests that a refused line may have answered; none for a line that isn't an answer. */
function idsIn<Id extends string | number>(head: string, open: readonly Id[]): Id[] {
  const source = memberSource(head, "id");
  if (source !== undefined) return open.filter((id) => JSON.stringify(id) === source);
  // The id often stands at the end of an answer, beyond what is kept of it: then each of them may have been meant.
  const isCut = Buffer.byteLength(head) >= wireLimits.refusedHeadBytes;
  return isCut && /^\s*\{\s*"(?:jsonrpc|id|result|error)"\s*:/.test(head) ? [...open] : [];
}

const withProgressToken = (params: Record<string, unknown> = {}, progressToken: string | number): Record<string, unknown> => ({
  ...params,
  _meta: { ...(params["_meta"] as object | undefined), progressToken },
});
