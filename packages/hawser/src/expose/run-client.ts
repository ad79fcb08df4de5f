// Runs a client's command with a session's tools added, and ends with it: its exit code is ours, it
// gets the signals that we get, and it does not outlive us.

import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { printClientConfig, toClientCommand, type IPCSession } from "@hawser/bridge";
import { HawserError } from "@hawser/wire";
import { createSessionNames, onProcessEnd } from "@hawser/wire/node";

export type CommandLine = readonly [program: string, ...args: string[]];

/** Resolves with the command's exit code; 128 and the signal's number when a signal ended it. */
export function runClient(session: IPCSession, serverName: string, [program, ...args]: CommandLine): Promise<number> {
  const { mcpServerConfig } = session;
  const configPath = writeBeside(session, "mcp.json", printClientConfig("claude", serverName, mcpServerConfig));
  const env: NodeJS.ProcessEnv = { ...process.env, HAWSER_MCP_CONFIG: configPath };
  // Whoever says where the file goes wants nothing else added.
  if (args.some((arg) => arg.includes("{config}"))) {
    return runCommand(
      program,
      args.map((arg) => arg.replaceAll("{config}", configPath)),
      env,
    );
  }
  const addition = toClientCommand(program, serverName, mcpServerConfig);
  if (!addition) {
    process.stderr.write(
      `hawser: ${basename(program)} is not a client that hawser knows; write {config} in its arguments where the path of an mcpServers file belongs, or read it from HAWSER_MCP_CONFIG\n`,
    );
    return runCommand(program, args, env);
  }
  const filePath = addition.file === undefined ? configPath : writeBeside(session, "client.json", addition.file);
  for (const [name, value] of Object.entries(addition.env)) env[name] = value.replaceAll("{file}", filePath);
  return runCommand(program, withAddedArguments(args, addition.args), env);
}

// Behind everything else: Claude's --mcp-config takes all words that follow it, and would take the prompt.
// But words after `--` are no options any more.
function withAddedArguments(args: readonly string[], added: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.toSpliced(end < 0 ? args.length : end, 0, ...added);
}

/** A file in the session's private directory: nobody else can read it, and it is removed with the session. */
function writeBeside({ schemaPath }: IPCSession, name: string, content: string): string {
  const uuid = /([0-9a-f]{32})\.json$/.exec(schemaPath)?.[1] ?? "";
  const path = join(createSessionNames({ uuid, directories: [dirname(schemaPath)] }).privateDirectory, name);
  writeFileSync(path, content, { mode: 0o600, flag: "wx" });
  return path;
}

async function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = startCommand(program, args, env);
  const stopForwarding = forwardSignals(child);
  // Not SIGKILL: a client that draws on the terminal must be able to put it in order.
  const release = onProcessEnd(() => child.kill("SIGTERM"));
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (cause) => reject(startFailed(program, cause)));
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    release();
    stopForwarding();
  }
}

function startCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawn(program, args, { stdio: "inherit", env });
  } catch (cause) {
    // Most failures come by 'error', some (a NUL in an argument) at once.
    throw startFailed(program, cause as Error);
  }
}

// A terminal sends Ctrl-C to the command as well, and twice would mean something else to it.
function forwardSignals(child: ChildProcess): () => void {
  const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const forward = (signal: NodeJS.Signals): void => void (signal === "SIGINT" && isOnTerminal ? undefined : child.kill(signal));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

function startFailed(program: string, cause: Error): HawserError {
  const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isMissing ? "there is no such program; check the name and the PATH" : cause.message;
  return new HawserError("usage", `can't run ${program}: ${reason}`, { cause });
}
