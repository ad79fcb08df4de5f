// Starts the child programs of the bench and makes the temporary directories they need. Nothing
// outlives the bench: a program ends when its input ends, is made to end if it does not, and is killed
// with the bench if that is interrupted.

import { onProcessEnd, startChild, type ChildExit, type PipedChild } from "@hawser/wire/internal/node";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RowContext } from "./row.ts";

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const stopMs = 1_000;

/** Starts `programs/<name>.ts` with the Node options of the bench itself; it is stopped when the row is over. */
export async function startProgram(context: RowContext, name: string, options: ProgramOptions = {}): Promise<PipedChild> {
  const file = join(import.meta.dirname, "programs", `${name}.ts`);
  const args = [...process.execArgv, file, ...(options.args ?? [])];
  const child = await startNode(args, options.env);
  let isStopping = false;
  void child.exited.then(() => {
    // Nobody waits for this: it ends the bench, which would otherwise wait for answers that never come.
    if (!isStopping) throw new Error(`${name} ended by itself; see above for what it said`);
  });

  function stop(): Promise<ChildExit> {
    isStopping = true;
    return child.stop();
  }

  context.defer(async () => void (await stop()));
  return { ...child, stop };
}

/** A Node process of the bench; its log is ours. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<PipedChild> {
  return startChild({
    command: process.execPath,
    args,
    env: { ...process.env, ...env },
    stdio: "pipe",
    stopInputMs: stopMs,
    stopSignalMs: stopMs,
  });
}

/** The first line that a program prints, by which it says that it is ready. */
export async function readFirstLine(program: Pick<PipedChild, "stdout">): Promise<string> {
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
