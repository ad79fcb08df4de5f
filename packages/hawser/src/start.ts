// The first file of the bundled command line: runs the rest with V8's code cache from the previous run of the same command.

import { runCachedProgram } from "@hawser/wire/internal/node";
import { cachedCommands, servingCommands } from "./command-line/cached-commands.ts";

declare const __HAWSER_BUILD__: string;

const [command = ""] = process.argv.slice(2);
const isServing = servingCommands.includes(command);

const { main } = runCachedProgram({
  folder: __dirname,
  main: "main.cjs",
  name: `hawser-${cachedCommands.includes(command) ? command : "other"}`,
  build: __HAWSER_BUILD__,
  isWorthKeeping: () => !isServing || ((process.stdin as { bytesRead?: number }).bytesRead ?? 0) > 0,
}) as typeof import("./main.ts");
void main(process.argv.slice(2));
