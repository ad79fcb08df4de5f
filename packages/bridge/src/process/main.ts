// Entry of the bundled bridge: `<node> <this file> [options] <socket_path> <schema_path>`.

import { runBridge } from "./run-bridge.ts";

// For the launcher, which keeps this file's compiled code.
export { withOwnFlags } from "@hawser/wire/node";

declare const __HAWSER_VERSION__: string;

void runBridge(process.argv.slice(2), typeof __HAWSER_VERSION__ === "string" ? __HAWSER_VERSION__ : "0.0.0");
