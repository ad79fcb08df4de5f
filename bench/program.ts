// Starts the child programs of the bench and makes the temporary directories they need. Nothing
// outlives the bench: a program ends when its input ends, is killed if it does not, and is killed
// with the bench if that is interrupted.

import { onProcessEnd } from "@hawser/wire/node";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { RowContext } from "./row.ts";

export interface Program {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const stopMs = 1_000;

/** Starts `programs/<name>.ts` with the Node options of the bench itself; it is stopped when the row is over. */
export async function startProgram(context: RowContext, name: string, options: ProgramOptions = {}): Promise<Program> {
  const file = join(import.meta.dirname, "programs", `${name}.ts`);
  const child = spawn(process.execPath, [...process.execArgv, file, ...(options.args ?? [])], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...options.env },
  });
  const release = onProcessEnd(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let isStopping = false;
  void exited.then(() => {
    release();
    // Nobody waits for this: it ends the bench, which would otherwise wait for answers that never come.
    if (!isStopping) throw new Error(`${name} ended by itself; see above for what it said`);
  });
  child.stdin.on("error", () => {}); // it may be killed while it is written to
  await once(child, "spawn");

  async function stop(): Promise<void> {
    isStopping = true;
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
    await exited;
    clearTimeout(timer);
    child.stdout.destroy();
  }

  context.defer(stop);
  return { pid: child.pid ?? 0, stdin: child.stdin, stdout: child.stdout, stop };
}

/** The first line that a program prints, by which it says that it is ready. */
export async function readFirstLine(program: Program): Promise<string> {
  const lines = createInterface({ input: program.stdout });
  const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  lines.close();
  if (line === undefined) throw new Error("a program of the bench ended before it was ready");
  return line;
}

export function createTemporaryDirectory(context: RowContext): string {
  const directory = fs.mkdtempSync(join(tmpdir(), "hawser-bench-"));
  const remove = (): void => fs.rmSync(directory, { recursive: true, force: true });
  const release = onProcessEnd(remove);
  context.defer(() => {
    release();
    remove();
  });
  return directory;
}
