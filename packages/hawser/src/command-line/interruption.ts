// Ctrl-C and SIGTERM while a command works: the first cancels what runs, so that it ends as a cancelled
// call does, the second ends the process at once. The exit code is the shell's for the signal.

import { constants } from "node:os";
import { HawserError } from "@hawser/protocol";

export interface Interruption {
  readonly signal: AbortSignal;
  /** 130 for Ctrl-C, 143 for SIGTERM; undefined while there was no signal. */
  readonly exitCode: number | undefined;
  dispose(): void;
}

export function watchInterruption(): Interruption {
  const controller = new AbortController();
  let exitCode: number | undefined;
  function onSignal(signal: NodeJS.Signals): void {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = 128 + constants.signals[signal];
    controller.abort(new HawserError("cancelled", "interrupted"));
    // A read of stdin that is still open would keep the process alive.
    process.stdin.destroy();
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    dispose: () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal),
  };
}
