// A tool, and the module that it comes from, is other people's code in our process. It must not end the process while
// other turns run: `process.exit` in a tool is that tool's error, and what it throws after its end is a line in the log.

import { AsyncLocalStorage } from "node:async_hooks";
import { describeThrown, HawserError, quoteShort } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";

const foreignScope = new AsyncLocalStorage<string>();

/** Runs what is not ours so that the guard knows whose it is: `tool "x"`, `the module x`. */
export function inForeignScope<Result>(owner: string, action: () => Result): Result {
  return foreignScope.run(owner, action);
}

/** What a tool leaves on every object would turn up in loops over messages that are not its own. */
export function hideFromLoops(toolName: string): void {
  for (const name in {}) {
    logLine(`[hawser] agent: after tool "${toolName}" every object has a member ${quoteShort(name, 100)}; it is hidden from loops`);
    Reflect.defineProperty(Object.prototype, name, { enumerable: false });
  }
}

/** For the process of a runtime; holds as long as it lives. */
export function guardProcessFromTools(): void {
  const exit = process.exit.bind(process);
  process.exit = ((code?: number | string | null) => {
    const owner = foreignScope.getStore();
    if (owner === undefined) return exit(code);
    throw new HawserError("tool_failed", `${owner} called process.exit(${String(code ?? "")}); it was not carried out`);
  }) as typeof process.exit;
  process.on("unhandledRejection", (reason) => logLine(`[hawser] agent: unhandled rejection: ${describeThrown(reason)}`));
  process.on("uncaughtException", (error) => logLine(`[hawser] agent: uncaught: ${describeThrown(error)}`));
}
