// What `call` says about a call beside its body: what to do about a failure, the envelope of --json with
// the file that the body went to, and the line of --timing.

import { toCallJson, type CallOutcome } from "@hawser/gateway";
import { nameCommands } from "../failure.ts";
import { searchHint } from "./api-index.ts";

interface EnvelopeOptions {
  readonly includeStats: boolean;
  /** Where the body went instead. */
  readonly bodyFile?: string | undefined;
}

/** The core speaks to hosts too; here commands are named as they are typed, and one that helps is added. */
export function explainOutcome(outcome: CallOutcome): CallOutcome {
  const { error, errorInfo } = outcome;
  if (error === undefined || !errorInfo) return outcome;
  const hint = errorInfo.hint ?? (/^operationId .* not found/.test(error) ? searchHint : undefined);
  return {
    ...outcome,
    error: nameCommands(error),
    errorInfo: { ...errorInfo, ...(hint !== undefined && { hint: nameCommands(hint) }) },
  };
}

export function toEnvelope(outcome: CallOutcome, { includeStats, bodyFile }: EnvelopeOptions): object {
  const envelope = toCallJson(outcome, { includeStats });
  if (!outcome.ok || bodyFile === undefined) return envelope;
  return { ...envelope, response: { ...envelope.response, bodyFile } };
}

export function toTimingLine({ stats }: CallOutcome): string {
  const http = Object.entries(stats.http ?? {}).map(([name, value]) => `${name}=${value}`);
  return ["timing", `timingMs=${stats.timingMs}`, ...http, `bodyBytes=${stats.bodyBytes}`].join("\t");
}
