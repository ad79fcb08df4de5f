// The first file of the bundled command line: runs the rest with V8's code cache from the previous run of the same command.

import { runCachedProgram } from "@hawser/wire/internal/cached-program";

declare const __HAWSER_BUILD__: string;

// What a command uses differs so much that each has a cache of its own. Words that are not commands share one.
export const cachedCommands = {
  /** They serve their input: a run without any has used little of what the next one will need. */
  serving: ["agent", "bridge", "echo", "rpc"],
  others: ["api", "call", "chat", "completion", "config", "conform", "doctor", "expose", "gateway", "schema", "shell", "tour"],
};

const [command = ""] = process.argv.slice(2);
const isServing = cachedCommands.serving.includes(command);
const isKnown = isServing || cachedCommands.others.includes(command);

const { main } = runCachedProgram<typeof import("./main.ts")>({
  folder: __dirname,
  main: "main.cjs",
  name: `hawser-${isKnown ? command : "other"}`,
  build: __HAWSER_BUILD__,
  isWorthKeeping: () => !isServing || ((process.stdin as { bytesRead?: number }).bytesRead ?? 0) > 0,
});
void main(process.argv.slice(2));
