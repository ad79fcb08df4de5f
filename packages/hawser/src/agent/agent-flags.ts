// The flags that `agent` and `chat` share. `chat` hands them on to the runtime that it starts.

import { resolve } from "node:path";

export interface AgentFlags {
  readonly model?: string;
  readonly root?: readonly string[];
  readonly allowCommand?: readonly string[];
  readonly tools?: readonly string[];
  /** A folder that attachments may lie in besides the roots. */
  readonly attachments?: string;
  readonly config?: string;
  readonly dataDir?: string;
  /** False for `--no-history`. */
  readonly history?: boolean;
  /** `commands`: as `deny`, but the programs of `allowCommand` may run. */
  readonly permissions?: "ask" | "deny" | "commands";
  /** What a failed tool means: a result that the model reads, or the end of the turn. */
  readonly toolFailure?: "result" | "fatal";
  readonly debugProtocol?: true;
}

/** The same flags as arguments again. `--flag=value`, so that no value is ever taken for a flag. */
export function toAgentArguments(flags: AgentFlags): string[] {
  const { model, root = [], allowCommand = [], tools = [], attachments, config, dataDir, history, permissions, toolFailure } = flags;
  return [
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...root.map((path) => `--root=${resolve(path)}`),
    ...allowCommand.map((name) => `--allow-command=${name}`),
    ...tools.map((path) => `--tools=${resolve(path)}`),
    ...(attachments === undefined ? [] : [`--attachments=${resolve(attachments)}`]),
    ...(config === undefined ? [] : [`--config=${resolve(config)}`]),
    ...(dataDir === undefined ? [] : [`--data-dir=${resolve(dataDir)}`]),
    ...(history === false ? ["--no-history"] : []),
    ...(permissions === undefined ? [] : [`--permissions=${permissions}`]),
    ...(toolFailure === undefined ? [] : [`--tool-failure=${toolFailure}`]),
    ...(flags.debugProtocol ? ["--debug-protocol"] : []),
  ];
}
