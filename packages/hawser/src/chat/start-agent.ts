// Starts the runtime of a chat: this program's `agent`, as a child. What it says on stderr before it is ready is why it did
// not start, and becomes our own sentence.

import { spawnAgent, type SpawnedAgent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/protocol";
import type { RuntimeSetup } from "../agent/demo-agent.ts";
import { toAgentArguments, type AgentFlags } from "../agent/flags.ts";

const maxLogChars = 65_536;
const maxEarlyLines = 100;
const usageExitCode = 2;

/** `onLog` gets the lines of the runtime's log. */
export async function startRuntime(
  { flags, env }: RuntimeSetup<AgentFlags>,
  onLog: (line: string) => void,
  onRestart: () => void = () => {},
): Promise<SpawnedAgent> {
  const early: string[] = [];
  let isReady = false;
  function onLine(line: string): void {
    if (isReady) return onLog(line);
    early.push(line);
    if (early.length > maxEarlyLines) early.shift();
  }
  try {
    const agent = await spawnAgent({
      command: process.execPath,
      args: toAgentArguments(flags),
      onStderr: createLineSplitter(onLine),
      env: { ...process.env, ...env },
      onRestart,
    });
    isReady = true;
    for (const line of early) onLog(line);
    return agent;
  } catch (error) {
    throw explain(toHawserError(error), early);
  }
}

/** What a runtime may do whose user can't be asked: programs named with --allow-command on the same line may run. */
export function withoutAnybodyToAsk({
  permissions,
  allowCommand = [],
}: Pick<AgentFlags, "permissions" | "allowCommand">): "deny" | "commands" {
  return permissions === "deny" || allowCommand.length === 0 ? "deny" : "commands";
}

/** The runtime's own last sentence, where it ended by itself. */
function explain(error: HawserError, log: readonly string[]): HawserError {
  const sentence = log.findLast((line) => line.startsWith("hawser: "))?.slice("hawser: ".length);
  if (sentence === undefined || typeof error.facts["code"] !== "number") return error;
  return new HawserError(error.facts["code"] === usageExitCode ? "usage" : "start_failed", sentence, { cause: error });
}

function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = (lines.pop() ?? "").slice(0, maxLogChars);
    for (const line of lines) if (line !== "") onLine(line);
  };
}
