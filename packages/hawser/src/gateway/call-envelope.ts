// What `call` says about a call beside its body: the envelope of --json with the file that the body
// went to, and the line of --timing.

import { toCallJson, type CallOutcome } from "@hawser/gateway";

interface EnvelopeOptions {
  readonly includeStats: boolean;
  /** Where the body went instead. */
  readonly bodyFile?: string | undefined;
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
