// Whether requests could run here: the Agent SDK is installed and there is a command line. Loads and starts
// nothing, since whoever asks may only want to list what there is.

import { HawserError } from "@hawser/wire";
import { findAgentSdk } from "./agent-sdk.ts";
import { findCli } from "./find-cli.ts";
import type { ClaudeCodeModelOptions } from "./options.ts";
import { toEnvironment } from "./query-options.ts";

export function isClaudeCodeAvailable(options: ClaudeCodeModelOptions = {}): boolean {
  try {
    findAgentSdk();
    findCli({ path: options.cliPath, cwd: options.cwd ?? process.cwd(), env: toEnvironment(options) });
    return true;
  } catch (error) {
    if (HawserError.isInstance(error)) return false;
    throw error;
  }
}
