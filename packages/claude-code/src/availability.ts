// Whether requests could run here: the Agent SDK can be loaded and there is a command line. Starts nothing.

import { HawserError } from "@hawser/wire";
import { loadAgentSdk } from "./agent-sdk.ts";
import { findCli } from "./find-cli.ts";
import type { ClaudeCodeModelOptions } from "./options.ts";
import { toEnvironment } from "./query-options.ts";

export async function isClaudeCodeAvailable(options: ClaudeCodeModelOptions = {}): Promise<boolean> {
  try {
    await loadAgentSdk();
    findCli({ path: options.cliPath, cwd: options.cwd ?? process.cwd(), env: toEnvironment(options) });
    return true;
  } catch (error) {
    if (HawserError.isInstance(error)) return false;
    throw error;
  }
}
