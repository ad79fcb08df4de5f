// What travels beside a result: progress, log lines and error messages. Their texts are shortened, since clients
// close the connection over long lines. Both ends of a connection use this file.

import { cutText } from "@hawser/protocol/internal";
import { bridgeLimits } from "../limits.ts";

/** What this version understands beyond the contract; both ends say it in `hello`. */
export const helloFeatures = ["progress", "log", "richContent"] as const;

export type HelloFeature = (typeof helloFeatures)[number];

// Written as JSON that is 100 kB at most.
const maxNoteChars = 16_384;

/** For the name of an error's class, as a peer sends it. */
export const maxTypeChars = 200;

export function boundedText(text: string, maxChars: number = maxNoteChars): string {
  // The remark about the length counts as well, so that the other end leaves a shortened text alone.
  return cutText(text, maxChars, `… (${text.length} characters)`).toWellFormed();
}

/** For a program without types, which may give anything as a text. */
export function toBoundedText(value: unknown): string {
  try {
    return boundedText(typeof value === "string" ? value : String(value));
  } catch {
    // No prototype, a `toString` that throws, a revoked proxy: a log line must not fail the tool.
    return "a value that can't be written as text";
  }
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** As MCP sends it. */
export interface ProgressParams extends Progress {
  readonly progressToken: string | number;
}

/** What a function reports, without what can't be sent. */
export function toProgress(progress: number, total?: number, message?: string): Progress | undefined {
  if (!Number.isFinite(progress)) return undefined;
  return { progress, ...(Number.isFinite(total) && { total }), ...(message !== undefined && { message: toBoundedText(message) }) };
}

/**
 * Progress of one call, as MCP clients want it. While the function is silent a heartbeat tells the client that the call
 * lives, since clients give up after a minute of silence.
 */
export function createProgressReporter(progressToken: string | number, notify: (params: ProgressParams) => void) {
  let last: number | undefined;

  function send(progress: Progress): void {
    last = progress.progress;
    notify({ progressToken, ...progress });
  }

  const heartbeat = setInterval(() => send({ progress: slightlyMore(last ?? 0) }), bridgeLimits.progressHeartbeatMs);
  return {
    report({ progress, total, message }: Progress): void {
      // The protocol wants it to grow.
      if (last !== undefined && progress <= last) return;
      heartbeat.refresh();
      send({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message: boundedText(message) }) });
    },
    stop: () => clearInterval(heartbeat),
  };
}

// Far below any real step, yet never lost in a large number's rounding.
const slightlyMore = (progress: number): number => progress + Math.max(1e-6, Math.abs(progress) * 1e-9);
