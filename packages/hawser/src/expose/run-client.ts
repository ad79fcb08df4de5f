// Runs a client's command with a session's tools added, and ends with it: its exit code is ours, it
// gets the signals that we get, and it does not outlive us.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { constants, homedir } from "node:os";
import { basename, join } from "node:path";
import { isatty } from "node:tty";
import { printClientConfig, toClientCommand, type IPCSession } from "@hawser/bridge/internal";
import { describeThrown, HawserError } from "@hawser/protocol";
import { logLine, startChild, type OwnedProcess } from "@hawser/wire/internal/node";

export type CommandLine = readonly [program: string, ...args: string[]];

/** Resolves with the command's exit code; 128 and the signal's number when a signal ended it. */
export function runClient(session: IPCSession, serverName: string, [program, ...args]: CommandLine): Promise<number> {
  const { mcpServerConfig } = session;
  const configPath = writePrivately(session, "mcp.json", printClientConfig("claude", serverName, mcpServerConfig));
  const env: NodeJS.ProcessEnv = { ...process.env, HAWSER_MCP_CONFIG: configPath };
  // With {config} nothing else is added.
  const filled = args.map((arg) => arg.replaceAll("{config}", configPath));
  if (args.some((arg) => arg.includes("{config}"))) return runCommand(program, filled, env);
  const addition = toClientCommand(program, serverName, mcpServerConfig);
  if (!addition) {
    logLine(
      `hawser: ${basename(program)} is not a client that hawser knows; write {config} in its arguments where the path of an mcpServers file belongs, or read it from HAWSER_MCP_CONFIG`,
    );
    return runCommand(program, args, env);
  }
  const { overlay, file } = addition;
  const filePath = file === undefined || overlay ? configPath : writePrivately(session, "client.json", file);
  const home = join(session.privateDirectory, "home");
  for (const [name, value] of Object.entries(addition.env)) {
    // The user may have moved it already.
    if (overlay && value === "{home}") {
      mkdirSync(home, { mode: 0o700 });
      makeOverlay(join(env[name] || homedir(), overlay.of), join(home, overlay.of), overlay.path, file ?? "");
    }
    env[name] = value.replaceAll("{file}", filePath).replaceAll("{home}", home);
  }
  // In front: behind a subcommand they would be its own, and behind `--` they would not be options.
  return runCommand(program, [...addition.args, ...args], env);
}

/** A file that only this user can read, and that is removed with the session. */
function writePrivately({ privateDirectory }: IPCSession, name: string, content: string): string {
  const path = join(privateDirectory, name);
  writeFileSync(path, content, { mode: 0o600, flag: "wx" });
  return path;
}

/** The clients that hawser knows, for those who have not installed one yet. */
const installations: Readonly<Record<string, string>> = {
  claude: "npm install -g @anthropic-ai/claude-code",
  codex: "npm install -g @openai/codex",
  gemini: "npm install -g @google/gemini-cli",
  opencode: "npm install -g opencode-ai",
};

async function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = await startChild({ command, args, env, stdio: "inherit" }).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && (cause.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
    const installation = isMissing ? installations[command] : undefined;
    const hint = installation === undefined ? "" : `; to install it: ${installation}`;
    throw new HawserError("usage", `${describeThrown(cause)}${hint}`, { cause });
  });
  const stopForwarding = forwardSignals(child);
  const { code, signal } = await child.exited;
  stopForwarding();
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

// A terminal sends Ctrl-C to the command as well, and twice would mean something else to it.
function forwardSignals(child: OwnedProcess): () => void {
  const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const forward = (signal: NodeJS.Signals): void => (signal === "SIGINT" && isOnTerminal ? undefined : child.kill(signal));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

/** `path` is where the file stands in the folder, as its parts. */
function makeOverlay(original: string, folder: string, [name = "", ...rest]: readonly string[], content: string): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const entry of existsSync(original) ? readdirSync(original, { withFileTypes: true }) : []) {
    // The kind only matters on Windows, where folders can be linked without a special right.
    if (entry.name !== name) symlinkSync(join(original, entry.name), join(folder, entry.name), entry.isDirectory() ? "junction" : "file");
  }
  if (rest.length > 0) makeOverlay(join(original, name), join(folder, name), rest, content);
  else writeFileSync(join(folder, name), content, { mode: 0o600, flag: "wx" });
}
