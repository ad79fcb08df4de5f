// The first file of the bundled command line: runs the rest with V8's code cache from the previous run of the same command.

import { createRequire } from "node:module";
import { runCachedProgram } from "@hawser/wire/internal/node";
import { cachedCommands, servingCommands } from "./command-line/cached-commands.ts";

declare const __HAWSER_BUILD__: string;

const [command = "", ...others] = process.argv.slice(2);
const isServing = servingCommands.includes(command);

/** As clients start it: two paths. Options, mistakes and what is to be logged need the whole program. */
const isPlainBridge =
  command === "bridge" && others.length === 2 && !others.some((path) => path.startsWith("-")) && !process.env["HAWSER_DEBUG"];

function runCommand(): void {
  const { main } = runCachedProgram({
    folder: __dirname,
    main: "main.cjs",
    name: `hawser-${cachedCommands.includes(command) ? command : "other"}`,
    build: __HAWSER_BUILD__,
    isWorthKeeping: () => !isServing || ((process.stdin as { bytesRead?: number }).bytesRead ?? 0) > 0,
  }) as typeof import("./main.ts");
  void main(process.argv.slice(2));
}

// The bridge's own bundle is the same program without a command line to declare.
function runBridge(): void {
  process.argv.splice(2, 1);
  createRequire(__filename)("../bridge.cjs");
}

if (isPlainBridge) runBridge();
else runCommand();
