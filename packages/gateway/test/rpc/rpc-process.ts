// The rpc server as a real child with pipes, for the tests: everything it says as lines, its exit, and
// how much memory it has used at most. Tests may run side by side: whatever still runs is killed after the last.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Answer } from "./rpc-client.ts";

export interface RpcProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Every line of stdout so far, parsed. */
  readonly answers: readonly Answer[];
  readonly lines: readonly string[];
  write(text: string): Promise<void>;
  /** Waits for so many answers in all. */
  count(count: number): Promise<readonly Answer[]>;
  /** Resolves when the process is gone and its output was read. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  peakMegabytes(): number;
}

const children = new Set<ReturnType<typeof spawn>>();
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

export const rpcProgram: string = fileURLToPath(new URL("../fixtures/rpc-stdio.ts", import.meta.url));

export interface StartOptions {
  readonly read?: boolean;
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

export function startRpc(
  args: readonly string[] = [],
  { read = true, program = rpcProgram, env = {}, nodeFlags = [] }: StartOptions = {},
): RpcProcess {
  const child = spawn(process.execPath, [...nodeFlags, "--conditions=hawser-source", program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  child.stdin.on("error", () => {});
  child.stderr.resume();
  const answers: Answer[] = [];
  const lines: string[] = [];
  let rest = "";
  let wake: (() => void) | undefined;
  function take(chunk: Buffer): void {
    const parts = (rest + chunk.toString("utf8")).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      answers.push(JSON.parse(line) as Answer);
    }
    wake?.();
  }
  if (read) child.stdout.on("data", take);
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once(read ? "close" : "exit", (code, signal) => resolve({ code, signal })),
  );
  return {
    child,
    answers,
    lines,
    exited,
    async write(text) {
      if (!child.stdin.write(text)) await new Promise<void>((resolve) => child.stdin.once("drain", resolve));
    },
    async count(count) {
      while (answers.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return answers;
    },
    peakMegabytes: () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_024,
  };
}

export const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
