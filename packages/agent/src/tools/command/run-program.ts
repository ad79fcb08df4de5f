// Runs one program to its end, or until its time is over or it is cancelled: then its whole process group is
// ended. What it leaves running in its group ends with it. It reads an empty input.

import { once } from "node:events";
import { HawserError } from "@hawser/protocol";
import { isSettledWithin, startDeadline } from "@hawser/wire/internal";
import { startChild, type ChildExit, type PipedChild } from "@hawser/wire/node";
import { agentLimits } from "../../limits.ts";
import { createBoundedOutput, type OutputText } from "./bounded-output.ts";

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** For descriptor 3. */
  readonly extraInput?: Uint8Array | undefined;
}

export interface ProgramResult extends ChildExit {
  readonly stdout: OutputText;
  readonly stderr: OutputText;
  readonly isTimedOut: boolean;
}

export async function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { command, args, cwd, env, timeoutMs, signal, extraInput } = options;
  const stdout = createBoundedOutput(agentLimits.commandOutputBytes);
  const stderr = createBoundedOutput(agentLimits.commandOutputBytes);
  signal.throwIfAborted();
  const stopping = { stopInputMs: 0, stopSignalMs: agentLimits.commandStopMs };
  const onStderr = (chunk: Buffer): void => stderr.add(chunk);
  const child = await startChild({ stdio: "pipe", command, args, cwd, env, isGuarded: true, onStderr, extraInput, ...stopping });
  child.stdin.end();
  child.stdout.on("data", (chunk: Buffer) => stdout.add(chunk));
  const isOver = Promise.withResolvers<HawserError>();
  const deadline = startDeadline({ totalMs: timeoutMs, onExpire: isOver.resolve });
  const onAbort = (): void => isOver.resolve(new HawserError("cancelled", "cancelled"));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const early = await Promise.race([whenComplete(child), isOver.promise]);
    const exit = await child.stop();
    signal.throwIfAborted();
    return { ...exit, stdout: stdout.take(), stderr: stderr.take(), isTimedOut: early !== undefined };
  } finally {
    deadline.clear();
    signal.removeEventListener("abort", onAbort);
    await child.stop();
  }
}

/** It has ended, and its output is read; or something that it left behind keeps the pipe open for too long. */
async function whenComplete(child: PipedChild): Promise<undefined> {
  const ended = once(child.stdout, "close").catch(() => {});
  await child.exited;
  await isSettledWithin(ended, agentLimits.commandStopMs);
}

const allowedNames: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"],
  // Without these, programs on Windows don't start.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA"],
]);

export function commandEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const comparable = process.platform === "win32" ? name.toUpperCase() : name;
    if (value !== undefined && (allowedNames.has(comparable) || /^LC_[A-Z]+$/.test(comparable))) kept[name] = value;
  }
  return kept;
}
