// Outcomes as the doors print them, in the members and the order that hosts of `igw` know. Missing
// members are absent, never undefined or null.

import type { CallErrorInfo, CallOutcome } from "../call.ts";

/** What `call --json` prints. */
export interface CallJson extends Partial<Pick<CallOutcome, "code" | "error" | "request" | "response" | "stats">> {
  readonly ok: boolean;
  readonly details?: Partial<CallErrorInfo> & { readonly status?: number; readonly timeout?: true; readonly cancelled?: true };
}

/** One line of `call --batch`; `errorInfo` is beyond what `igw` prints. */
export interface BatchLine extends Omit<CallOutcome, "cancelled" | "asFlags"> {
  readonly id?: unknown;
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
