// Outcomes as the doors print them, in the members and the order that hosts of `igw` know. What is not
// there is absent, never undefined or null.

import type { CallCode, CallErrorInfo, CallOutcome, CallResponse } from "../call.ts";
import type { CallStats } from "@hawser/wire";

/** What `call --json` prints. */
export interface CallJson {
  readonly ok: boolean;
  readonly code?: CallCode;
  readonly error?: string;
  readonly details?: {
    readonly status?: number;
    readonly hint?: string;
    readonly timeout?: true;
    readonly cancelled?: true;
    readonly kind?: CallErrorInfo["kind"];
    readonly retryable?: boolean;
  };
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: CallResponse;
  readonly stats?: CallStats;
}

/** One line of `call --batch`. */
export interface BatchLine {
  readonly id?: unknown;
  readonly ok: boolean;
  readonly code: CallCode;
  readonly status?: number;
  readonly error?: string;
  readonly timingMs: number;
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: CallResponse;
  readonly stats: CallStats;
  /** Additive. */
  readonly errorInfo?: CallErrorInfo;
}

/** `code` and `error` only of a failure; `stats` only where asked for. */
export function toCallJson(outcome: CallOutcome, { includeStats = false }: { readonly includeStats?: boolean } = {}): CallJson {
  const { ok, code, error, request, response, stats } = outcome;
  const details = detailsOf(outcome);
  return {
    ok,
    ...(!ok && { code, error: error ?? "failed" }),
    ...(details && { details }),
    ...(request && { request }),
    ...(response && { response }),
    ...(includeStats && { stats }),
  };
}

/** Without the id, which goes before it as its source says. */
export function toBatchLine(outcome: CallOutcome): BatchLine {
  const { ok, code, status, error, timingMs, request, response, stats, errorInfo } = outcome;
  return {
    ok,
    code,
    ...(status !== undefined && { status }),
    ...(!ok && { error: error ?? "failed" }),
    timingMs,
    ...(request && { request }),
    ...(response && { response }),
    stats,
    ...(errorInfo && { errorInfo }),
  };
}

function detailsOf({ ok, status, errorInfo, cancelled }: CallOutcome): CallJson["details"] {
  if (ok) return undefined;
  return {
    ...(status !== undefined && { status }),
    ...(errorInfo?.hint !== undefined && { hint: errorInfo.hint }),
    ...(errorInfo?.kind === "timeout" && { timeout: true as const }),
    ...(cancelled && { cancelled }),
    ...(errorInfo && { kind: errorInfo.kind, retryable: errorInfo.retryable }),
  };
}
