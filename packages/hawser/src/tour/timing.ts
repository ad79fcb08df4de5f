// How the tour measures: what a promise gave, how long it took, and how to say so.

import { toHawserError } from "@hawser/wire";

export async function time<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

/** How a call ended: "ok", or the code of its error. */
export const settleCode = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: unknown) => toHawserError(error).code,
  );

export function formatMs(ms: number): string {
  if (ms < 0.1) return "under 0.1 ms";
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

export const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
