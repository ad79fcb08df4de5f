// The first file of the bundled bridge: turns an old Node away, and runs the rest with V8's code cache from the previous run.

import { runCachedProgram } from "@hawser/wire/internal/node";

declare const __HAWSER_BUILD__: string;
/** Such as `22.13`. */
declare const __HAWSER_NEEDED_NODE__: string;

function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = __HAWSER_NEEDED_NODE__.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function start(): void {
  if (isNodeTooOld()) {
    // Clients show what a server writes to stderr; the stack of an error would hide the message.
    const versions = `Node ${__HAWSER_NEEDED_NODE__} or newer and this is ${process.versions.node} (${process.execPath})`;
    process.stderr.write(`hawser: the bridge needs ${versions}; name a newer one as the command of this server\n`);
    process.exitCode = 2;
    return;
  }
  // The MCP library's validator would write and compile a function for each schema; in a process that uses most of them a
  // few times, that costs more than it saves.
  (globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };
  runCachedProgram({
    folder: __dirname,
    main: "bridge-main.cjs",
    name: "bridge",
    build: __HAWSER_BUILD__,
    // A run that got no input has compiled too little.
    isWorthKeeping: () => ((process.stdin as { bytesRead?: number }).bytesRead ?? 0) > 0,
  });
}

start();
