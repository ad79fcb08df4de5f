// What `call --json` prints, as hosts of igw know it: `{ok, code?, error?, details?, request, response,
// stats?}`. A failed call also shows the API's answer.

import type { CallOutcome } from "@hawser/gateway";

interface EnvelopeOptions {
  readonly withStats: boolean;
  /** Where the body went instead. */
  readonly bodyFile?: string | undefined;
}

export function toEnvelope(outcome: CallOutcome, { withStats, bodyFile }: EnvelopeOptions): object {
  const { ok, code, error, request, response, stats } = outcome;
  return {
    ok,
    ...(!ok && { code, error, details: toDetails(outcome) }),
    ...(request && { request }),
    ...(response && { response: { ...response, ...(ok && bodyFile !== undefined && { bodyFile }) } }),
    ...(withStats && { stats }),
  };
}

function toDetails({ status, errorInfo, cancelled }: CallOutcome): object {
  return {
    ...(status !== undefined && { status }),
    ...(errorInfo?.kind === "timeout" && { timeout: true }),
    ...(cancelled && { cancelled }),
    ...errorInfo,
  };
}

/** One line for `--timing`. */
export function toTimingLine({ stats }: CallOutcome): string {
  const http = Object.entries(stats.http ?? {}).map(([name, value]) => `${name}=${value}`);
  return ["timing", `timingMs=${stats.timingMs}`, ...http, `bodyBytes=${stats.bodyBytes}`].join("\t");
}
