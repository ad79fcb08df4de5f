// `tools/call`, from its request to its result. What the model can act on is a result with `isError`; only faults of the MCP
// protocol itself are JSON-RPC errors. There are two doors. The MCP library's checks and copies would take most of a call's time,
// so the usual call takes the direct door: on a connection that the library has opened, with the envelope that it has accepted
// before, and in the usual shape. Everything else goes through the library; a client sees no difference.

import {
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  SERVER_INFO_META_KEY,
  type CallToolResult,
  type RequestId,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type HawserError, isRecord, toHawserError, toIPCError } from "@hawser/protocol/internal";
import type { LogLevel } from "@hawser/tools";
import { type CancelController, type CancelSignal, createCancelController, linkSignals } from "@hawser/wire/internal";
import type { CallToolParams } from "../contract/contract.ts";
import { boundedText, createProgressReporter, maxTypeChars, type Progress, type ProgressParams } from "../contract/notes.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { FitResult } from "./client-result.ts";
import { ParentError, type ParentResult } from "./connection.ts";
import type { Pool, PoolCall } from "./pool.ts";
import type { ToolList } from "./tool-list.ts";

type Members = Readonly<Record<string, unknown>>;

interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

interface DirectCall {
  readonly id: RequestId;
  readonly params: CallParams & { readonly _meta?: Members };
}

/** What a call knows of its request, whichever door it came through. */
interface CallContext {
  /** Aborted when the client cancels, or the process does. */
  readonly signal: CancelSignal;
  /** As the client named itself in this request; undefined in the era in which it does so once. */
  readonly client: { readonly name: string; readonly version?: string } | undefined;
  readonly progressToken: RequestId | undefined;
  notifyProgress(params: ProgressParams): void;
  log(level: LogLevel, message: string): void;
  /** Called once, whatever becomes of the call. */
  finish(result: CallToolResult): void;
}

export type Calls = ReturnType<typeof createCalls>;

interface CallsOptions {
  readonly requests: ClientRequests;
  readonly toolList: ToolList;
  readonly pool: Pool;
  readonly fitResult: FitResult;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Aborted when the process ends and what still runs is cancelled. */
  readonly cancelling: AbortSignal;
}

export function createCalls({ requests, toolList, pool, fitResult, serverInfo, cancelling }: CallsOptions) {
  const running = new Map<RequestId, CancelController>();
  let server: Server | undefined;
  /** The envelope that the library has accepted: undefined in the `initialize` era, which has none. */
  let accepted: { readonly server: Server; readonly envelope: string | undefined } | undefined;

  // Classes, since each of many thousand calls has one of each: what it does is made once.
  class RelayedCall implements PoolCall {
    readonly params: CallToolParams;
    readonly signal: CancelSignal;
    readonly client: PoolCall["client"];
    private readonly shownName: string;
    private readonly isStructured: boolean;
    private readonly context: CallContext;
    private readonly progress: ReturnType<typeof createProgressReporter> | undefined;

    constructor(params: CallParams, context: CallContext) {
      const original = toolList.current.originals.get(params.name);
      this.params = { name: original?.name ?? params.name, arguments: params.arguments ?? {} };
      this.signal = context.signal;
      // A client of the first era names itself once, later ones do in every request.
      this.client = context.client ?? server?.getClientVersion();
      this.shownName = params.name;
      this.isStructured = original?.isStructured ?? false;
      this.context = context;
      this.progress =
        context.progressToken === undefined
          ? undefined
          : createProgressReporter(context.progressToken, (progress) => context.notifyProgress(progress));
    }

    onProgress(told: Progress): void {
      this.progress?.report(told);
    }

    onLog({ level, message }: { readonly level: LogLevel; readonly message: string }): void {
      this.context.log(level, boundedText(message));
    }

    onResult(answer: ParentResult): void {
      let result: CallToolResult;
      try {
        const { name: toolName } = this.params;
        result = fitResult({ toolName, isStructured: this.isStructured, answer, privateDirectory: pool.privateDirectory });
      } catch (error) {
        return this.onFailure(error);
      }
      this.end(result);
    }

    onFailure(error: unknown): void {
      this.end(errorResult(this.shownName, error));
    }

    private end(result: CallToolResult): void {
      this.progress?.stop();
      this.context.finish(result);
    }
  }

  function relay(params: CallParams, context: CallContext): void {
    toolList.refresh();
    pool.call(new RelayedCall(params, context));
  }

  class DirectContext implements CallContext {
    readonly controller = createCancelController();
    readonly signal = this.controller.signal;
    readonly client: CallContext["client"];
    readonly progressToken: RequestId | undefined;
    private readonly id: RequestId;

    constructor({ id, params: { _meta: meta } }: DirectCall) {
      this.id = id;
      this.client = meta && clientIn(meta);
      this.progressToken = meta?.["progressToken"] as RequestId | undefined;
    }

    notifyProgress(params: ProgressParams): void {
      requests.notify({ jsonrpc: "2.0", method: "notifications/progress", params: { ...params } }).catch(ignore);
    }

    log(level: LogLevel, data: string): void {
      // The library knows the level that the client has set. In the later era a request asks for log lines, and then takes the library's door.
      if (accepted?.envelope === undefined) accepted?.server.sendLoggingMessage({ level, data }).catch(ignore);
    }

    finish(result: CallToolResult): void {
      const { id } = this;
      // The client has cancelled it; its id may be that of another call by now.
      if (running.get(id) !== this.controller) return;
      running.delete(id);
      requests.answer({ jsonrpc: "2.0", id, result: encode(result, accepted?.envelope !== undefined) });
    }
  }

  function run(call: DirectCall): void {
    const context = new DirectContext(call);
    running.set(call.id, context.controller);
    relay(call.params, context);
  }

  /** As the library does: results of the later era say that they are complete, and which server made them. */
  const encode = (result: CallToolResult, isLaterEra: boolean): CallToolResult =>
    isLaterEra ? { ...result, resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: serverInfo, ...result._meta } } : result;

  function accept(by: Server, envelope: Members | undefined): void {
    const isLaterEra = (by.getNegotiatedProtocolVersion() ?? "") >= firstVersionOfLaterEra;
    const text = envelopeIn(envelope);
    const wantsLogLines = envelope !== undefined && LOG_LEVEL_META_KEY in envelope;
    if (isLaterEra === (text !== undefined) && !wantsLogLines) accepted = { server: by, envelope: text };
  }

  /** False for a call that didn't come through the direct door. A cancelled call isn't answered. */
  function cancel(id: RequestId, reason: unknown): boolean {
    const controller = running.get(id);
    running.delete(id);
    controller?.abort(reason);
    return controller !== undefined;
  }

  // These are answered, unlike those that the client cancels.
  cancelling.addEventListener("abort", () => running.forEach((controller) => controller.abort(cancelling.reason)), { once: true });
  return {
    /** The library has made a server for the connection. */
    useServer: (made: Server) => void (server = made),
    /** The client of the `initialize` era has opened the connection. */
    noteInitialized: (by: Server) => accept(by, undefined),
    /** The library's door: it has checked the request and answers it. Never rejects. */
    callThroughLibrary(by: Server, params: CallParams, { mcpReq }: ServerContext): Promise<CallToolResult> {
      const envelope = mcpReq.envelope as Members | undefined;
      accept(by, envelope);
      const ending = linkSignals(mcpReq.signal, cancelling);
      const { promise, resolve: finish } = Promise.withResolvers<CallToolResult>();
      relay(params, {
        signal: ending.signal,
        progressToken: mcpReq._meta?.progressToken,
        client: clientIn(envelope),
        notifyProgress: (progress) => void mcpReq.notify({ method: "notifications/progress", params: { ...progress } }).catch(ignore),
        // Deprecated since 2026-07-28 in favour of stderr, which a client's user never sees.
        log: (level, message) => void mcpReq.log(level, message).catch(ignore),
        finish,
      });
      return promise.finally(ending.release);
    },
    /** The direct door: admits, calls and answers. False for a message that the library has to handle. */
    callDirectly(message: unknown, line: string): boolean {
      const call = toDirectCall(message);
      if (!call || !accepted || accepted.envelope !== envelopeIn(call.params._meta)) return false;
      if (requests.admit(call.id, line)) run(call);
      return true;
    },
    cancel,
    /** The result of a call that is refused before it can be read. */
    refusal(toolName: string, error: HawserError): CallToolResult {
      // A client whose first message is a call, without `initialize`, is of the later era.
      const version = server?.getNegotiatedProtocolVersion() ?? firstVersionOfLaterEra;
      return encode(errorResult(toolName, error), version >= firstVersionOfLaterEra);
    },
    close() {
      for (const id of [...running.keys()]) cancel(id, undefined);
    },
  };
}

const ignore = (): void => {};
const firstVersionOfLaterEra = "2026-07-28";
const reservedPrefix = "io.modelcontextprotocol/";

/** The protocol's own members of `_meta`, in a form that can be compared. */
function envelopeIn(meta: Members | undefined): string | undefined {
  if (meta === undefined) return undefined;
  const names = Object.keys(meta).filter((name) => name.startsWith(reservedPrefix));
  return names.length === 0 ? undefined : JSON.stringify(names.toSorted().map((name) => [name, meta[name]]));
}

/** The library doesn't check what a client says about itself. */
function clientIn(meta: Members | undefined): CallContext["client"] {
  const { name, version } = (meta?.[CLIENT_INFO_META_KEY] ?? {}) as { name?: unknown; version?: unknown };
  return typeof name === "string" ? { name, ...(typeof version === "string" && { version }) } : undefined;
}

/** Undefined for everything but a `tools/call` of the usual shape. */
export function toDirectCall(message: unknown): DirectCall | undefined {
  if (!isRecord(message) || message["method"] !== "tools/call" || message["jsonrpc"] !== "2.0") return undefined;
  const { id, params } = message;
  if (Object.keys(message).length !== 4 || !isToken(id) || !isRecord(params)) return undefined;
  for (const member in params) if (!isUsual[member]?.(params[member])) return undefined;
  return "name" in params ? (message as object as DirectCall) : undefined;
}

/** The members of a call's params; without a prototype, whose members are not among them. */
const isUsual: Readonly<Record<string, (value: unknown) => boolean>> = Object.assign(Object.create(null) as object, {
  name: (value: unknown) => typeof value === "string",
  arguments: isRecord,
  _meta: (value: unknown) => isRecord(value) && Object.keys(value).every((name) => isUsualMeta(name, value[name])),
});

// Names with a slash are the protocol's own, which are compared, or a vendor's, which the library doesn't check either.
const isUsualMeta = (name: string, value: unknown): boolean => (name === "progressToken" ? isToken(value) : name.includes("/"));

const isToken = (value: unknown): value is RequestId => typeof value === "string" || Number.isSafeInteger(value);

function errorResult(toolName: string, thrown: unknown): CallToolResult {
  const error = thrown instanceof ParentError ? thrown : toIPCError(toHawserError(thrown));
  const type = error instanceof ParentError ? error.type : error.name;
  const text = error instanceof ParentError ? error.message : `tool "${toolName}": ${error.message}`;
  return {
    content: [{ type: "text", text: boundedText(text) }],
    isError: true,
    _meta: { error: { type: boundedText(type, maxTypeChars) } },
  };
}
