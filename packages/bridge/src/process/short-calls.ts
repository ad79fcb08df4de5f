// The short way for `tools/call`, beside the MCP library, which checks and copies each request and result
// several times and would take most of a call's time. The library decides first: a request goes the short way only on a
// connection that it has opened, with the envelope it has accepted before, and only in the usual shape.
// Everything else, and every doubt, is the library's; a client sees no difference.

import {
  LOG_LEVEL_META_KEY,
  SERVER_INFO_META_KEY,
  type CallToolResult,
  type JSONRPCMessage,
  type RequestId,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isRecord, type HawserError } from "@hawser/wire";
import { clientIn, type CallContext } from "./call-context.ts";
import { errorResult, type CallParams, type Relay } from "./relay.ts";

type Members = Readonly<Record<string, unknown>>;

export interface ShortCall {
  readonly id: RequestId;
  readonly params: CallParams & { readonly _meta?: Members };
}

export interface ShortCalls {
  /** The library serves this connection: in the era of `initialize` without a context, later with that of a call it has accepted. */
  learn(server: Server, context?: ServerContext): void;
  isKnown(call: ShortCall): boolean;
  run(call: ShortCall): void;
  /** The result of a call that was refused before it could be read. */
  refusal(toolName: string, error: HawserError): CallToolResult;
  /** False for a call that did not go this way. What is cancelled is not answered. */
  cancel(id: RequestId, reason: unknown): boolean;
  /** Cancels all. */
  close(): void;
}

export interface ShortCallsOptions {
  readonly relay: Relay;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** The library's, once the client has opened the connection. */
  server(): Server | undefined;
  send(message: JSONRPCMessage): Promise<void>;
}

export function createShortCalls({ relay, serverInfo, server, send }: ShortCallsOptions): ShortCalls {
  const running = new Map<RequestId, AbortController>();
  let known: { readonly server: Server; readonly envelope: string | undefined } | undefined;

  // As the library does: results of the later era say that they are complete, and who made them.
  const encode = (result: CallToolResult, isLaterEra: boolean): CallToolResult =>
    isLaterEra ? { ...result, resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: serverInfo, ...result._meta } } : result;

  function contextOf({ params: { _meta: meta } }: ShortCall, signal: AbortSignal): CallContext {
    const ignore = (): void => {};
    return {
      signal,
      progressToken: meta?.["progressToken"] as RequestId | undefined,
      client: clientIn(meta),
      notifyProgress: (params) => void send({ jsonrpc: "2.0", method: "notifications/progress", params }).catch(ignore),
      log(level, data) {
        // The library knows the level that the client has set. In the later era who wants lines says so in the request, which then goes the long way.
        if (known?.envelope === undefined) known?.server.sendLoggingMessage({ level, data }).catch(ignore);
      },
    };
  }

  async function run(call: ShortCall): Promise<void> {
    const { id, params } = call;
    const controller = new AbortController();
    running.set(id, controller);
    const result = await relay(params, contextOf(call, controller.signal));
    if (running.get(id) === controller) running.delete(id);
    if (!controller.signal.aborted) await send({ jsonrpc: "2.0", id, result: encode(result, known?.envelope !== undefined) });
  }

  return {
    learn(learned, context) {
      const isLaterEra = (learned.getNegotiatedProtocolVersion() ?? "") >= firstVersionOfLaterEra;
      const envelope = envelopeIn(context?.mcpReq.envelope as Members | undefined);
      const wantsLines = context?.mcpReq.envelope !== undefined && LOG_LEVEL_META_KEY in context.mcpReq.envelope;
      if (isLaterEra === (envelope !== undefined) && !wantsLines) known = { server: learned, envelope };
    },
    refusal(toolName, error) {
      // A client whose first message is a call, without `initialize`, is of the later era.
      const version = server()?.getNegotiatedProtocolVersion() ?? firstVersionOfLaterEra;
      return encode(errorResult(toolName, error), version >= firstVersionOfLaterEra);
    },
    isKnown: ({ params }) => known !== undefined && known.envelope === envelopeIn(params._meta),
    // It fails only where nobody reads any more.
    run: (call) => void run(call).catch(() => {}),
    cancel(id, reason) {
      const controller = running.get(id);
      running.delete(id);
      controller?.abort(reason);
      return controller !== undefined;
    },
    close() {
      for (const id of [...running.keys()]) this.cancel(id, undefined);
    },
  };
}

const firstVersionOfLaterEra = "2026-07-28";
const reservedPrefix = "io.modelcontextprotocol/";

/** What the protocol itself has put into `_meta`, in a form that can be compared. */
function envelopeIn(meta: Members | undefined): string | undefined {
  if (meta === undefined) return undefined;
  const names = Object.keys(meta).filter((name) => name.startsWith(reservedPrefix));
  return names.length === 0 ? undefined : JSON.stringify(names.toSorted().map((name) => [name, meta[name]]));
}

/** Undefined for whatever is no plain `tools/call`. */
export function toShortCall(value: unknown): ShortCall | undefined {
  if (!isRecord(value) || value["method"] !== "tools/call" || value["jsonrpc"] !== "2.0") return undefined;
  const { id, params } = value;
  if (Object.keys(value).length !== 4 || !isToken(id) || !isRecord(params)) return undefined;
  const { name, arguments: given = {}, _meta: meta = {}, ...others } = params;
  const isUsual = typeof name === "string" && isRecord(given) && isRecord(meta) && Object.keys(others).length === 0;
  return isUsual && Object.entries(meta).every(isUsualMeta) ? (value as object as ShortCall) : undefined;
}

// Names with a slash are the protocol's own, which are compared, or some vendor's, which nobody checks.
const isUsualMeta = ([name, value]: [string, unknown]): boolean => (name === "progressToken" ? isToken(value) : name.includes("/"));

const isToken = (value: unknown): value is RequestId => typeof value === "string" || Number.isSafeInteger(value);
