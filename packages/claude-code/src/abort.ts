// A signal that was aborted before anything began: then nothing begins.

import { CLIInterruptedError } from "./errors.ts";

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CLIInterruptedError("the request was aborted before it began", { cause: signal.reason });
}
