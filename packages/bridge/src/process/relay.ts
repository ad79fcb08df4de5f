// One `tools/call` of the client, carried to the parent and back. What the model can act on is a
// result with `isError`; only faults of the MCP protocol itself are JSON-RPC errors.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { toHawserError, toIPCError } from "@hawser/wire";
import { boundedText, maxTypeChars } from "../bounded-text.ts";
import type { CallContext } from "./call-context.ts";
import { toClientResult, withStructuredValue } from "./client-result.ts";
import type { CallEvents } from "./connection.ts";
import { ParentError } from "./parent-answer.ts";
import type { Pool } from "./pool.ts";
import { createProgressReporter } from "./progress.ts";
import type { Spill } from "./spill.ts";
import type { ToolList } from "./tool-list.ts";

export interface RelayOptions {
  readonly toolList: ToolList;
  readonly pool: Pool;
  readonly spill: Spill;
  /** The client of the 2025 era, which names itself once; later ones do in every request. */
  initializedClient(): { name: string; version: string } | undefined;
  /** Aborted when the process ends and what still runs is cancelled. */
  readonly cancelling: AbortSignal;
}

export interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

/** Never rejects. */
export type Relay = (params: CallParams, context: CallContext) => Promise<CallToolResult>;

export function createRelay(options: RelayOptions): Relay {
  const { toolList, pool, spill } = options;

  return async (params, context) => {
    toolList.refresh();
    const { name, isStructured } = toolList.current.originals.get(params.name) ?? { name: params.name, isStructured: false };
    const ending = linkSignals(context.signal, options.cancelling);
    const progress = createProgressReporter(context);
    const events: CallEvents = {
      onProgress: progress.report,
      onLog: ({ level, message }) => context.log(level, boundedText(message)),
    };
    try {
      const client = context.client ?? options.initializedClient();
      const answer = await pool.call({ params: { name, arguments: params.arguments ?? {} }, events, signal: ending.signal, client });
      const plain = toClientResult(name, answer.result);
      const fitted = spill.fit(plain, answer, pool.privateDirectory);
      const copied = isStructured || fitted !== plain ? fitted : withStructuredValue(plain);
      const result = copied === fitted || spill.fits(copied, answer.bytes * 2) ? copied : fitted;
      // A client that was promised structured content takes a result without it only as an error.
      const lacksPromised = isStructured && result.structuredContent === undefined;
      return (lacksPromised ? { ...result, isError: true } : result) as CallToolResult;
    } catch (error) {
      return errorResult(params.name, error);
    } finally {
      progress.stop();
      ending.release();
    }
  };
}

/** Aborts with whichever comes first. `AbortSignal.any` would hold every call's signal until the long-lived one is gone. */
function linkSignals(...signals: readonly AbortSignal[]): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", onAbort);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
}

export function errorResult(toolName: string, thrown: unknown): CallToolResult {
  const error = thrown instanceof ParentError ? thrown : toIPCError(toHawserError(thrown));
  const type = error instanceof ParentError ? error.type : error.name;
  const text = error instanceof ParentError ? error.message : `tool "${toolName}": ${error.message}`;
  return {
    content: [{ type: "text", text: boundedText(text) }],
    isError: true,
    _meta: { error: { type: boundedText(type, maxTypeChars) } },
  };
}
