// Entry of the bundled bridge: `<node> <this file> [options] <socket_path> <schema_path>`.

import { describeThrown } from "@hawser/protocol";
import { logLine } from "@hawser/wire/internal/node";
import { bridgeUsage, parseBridgeOptions, type BridgeOptions } from "../contract/bridge-options.ts";
import { runBridge } from "./run-bridge.ts";

// For the launcher, which keeps this file's compiled code.
export { withOwnFlags } from "@hawser/wire/internal/node";

declare const __HAWSER_VERSION__: string;

function run(args: readonly string[]): void {
  let options: BridgeOptions;
  try {
    options = parseBridgeOptions(args);
  } catch (error) {
    logLine(`hawser: ${describeThrown(error)}\n\n${bridgeUsage.trimEnd()}`);
    process.exitCode = 1;
    return;
  }
  void runBridge(options, typeof __HAWSER_VERSION__ === "string" ? __HAWSER_VERSION__ : "0.0.0");
}

function printUsage(): void {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that has gone needs nothing more.
    if (code === "EPIPE") return;
    logLine(`hawser: can't write the output: ${message}`);
    process.exitCode = 1;
  });
  process.stdout.write(bridgeUsage);
}

const args = process.argv.slice(2);
if (args.includes("--help")) printUsage();
else run(args);
