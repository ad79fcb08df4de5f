// A tool is somebody else's code in our process. It may not end the process under the turns of others:
// `process.exit` inside a tool is an error of that tool, and what a tool throws or rejects after its time
// is a line in the log.

import { AsyncLocalStorage } from "node:async_hooks";
import { describeThrown, HawserError } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";

const toolScope = new AsyncLocalStorage<string>();

/** Runs a tool's function so that the guard knows whose it is. */
export function inToolScope<Result>(toolName: string, action: () => Result): Result {
  return toolScope.run(toolName, action);
}

/** What a tool leaves on every object would turn up in loops over messages that are not its own. */
export function hideFromLoops(toolName: string): void {
  for (const name in {}) {
    logLine(
      `[hawser] agent: after tool "${toolName}" every object has a member ${JSON.stringify(name.slice(0, 100))}; it is hidden from loops`,
    );
    Reflect.defineProperty(Object.prototype, name, { enumerable: false });
  }
}

/** For the process of a runtime; holds as long as it lives. */
export function guardProcessFromTools(): void {
  const exit = process.exit.bind(process);
  process.exit = ((code?: number | string | null) => {
    const toolName = toolScope.getStore();
    if (toolName === undefined) return exit(code);
    throw new HawserError("tool_failed", `tool "${toolName}" called process.exit(${String(code ?? "")}); it was not carried out`);
  }) as typeof process.exit;
  process.on("unhandledRejection", (reason) => logLine(`[hawser] agent: nobody waited for this rejection: ${describeThrown(reason)}`));
  process.on("uncaughtException", (error) => logLine(`[hawser] agent: uncaught: ${describeThrown(error)}`));
}
