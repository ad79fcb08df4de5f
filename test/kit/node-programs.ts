// Programs of Node with three pipes: started, what they say, how they end. None outlives its test.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";

export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts Node with three pipes. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): PipedChild {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  child.stdin.on("error", () => {});
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export const exitOf = (child: PipedChild): Promise<{ code: number | null; signal: string | null }> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve({ code: child.exitCode, signal: child.signalCode })
    : new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));

/** Everything a stream says until its end, as text. */
export async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
