// `hawser bridge`: the bridge process under the name of this program, for builds that are one file.

import { runBridge } from "@hawser/bridge/process";
import { readVersion } from "../launcher.ts";

export const runBridgeCommand = (args: readonly string[]): Promise<void> => runBridge(args, readVersion());
