// What tests of processes and files share: `it` hands each test a fresh directory and a way to start
// real programs. When the test is over the programs are killed by their process id and the
// directory is removed, also when the test failed.

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it as plainIt } from "vitest";
import { fixturePath } from "./observe.ts";

export { countDescriptors, isRunning, isStopped } from "../../../../test/kit/processes.ts";
export { fixturePath } from "./observe.ts";
export { until } from "../../../../test/kit/until.ts";

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves when the process has ended and its output was read to the end. */
  readonly ended: Promise<ProgramExit>;
  /** Resolves when the process has ended; others may still hold its pipes. */
  readonly exited: Promise<ProgramExit>;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when stdout (or stderr) contains the text. */
  whenPrinted(text: string, where?: "stdout" | "stderr"): Promise<void>;
  /** One line on its stdin. */
  write(line: string): void;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  /** A shell prefix such as `umask 0`, run by bash in the same process before the program. */
  readonly before?: string;
  /** A shell suffix such as `| cat`; the program is then a part of that pipeline. */
  readonly after?: string;
}

export type StartProgram = (fixture: string, options?: StartOptions) => Program;

/** A vitest `it` whose tests may take `directory` and `start`. */
export const it = plainIt.extend<{ directory: string; start: StartProgram }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from this pattern
  directory: async ({}, use) => {
    const directory = fs.mkdtempSync(join(tmpdir(), "hawser-test-"));
    await use(directory);
    // What was just killed may have one more file to make.
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  },
  // oxlint-disable-next-line no-empty-pattern -- as above
  start: async ({}, use) => {
    const programs: Program[] = [];
    await use((fixture, options) => {
      const program = startProgram(fixture, options ?? {});
      programs.push(program);
      return program;
    });
    for (const program of programs) program.process.kill("SIGKILL");
    await Promise.all(programs.map((program) => program.exited));
  },
});

function startProgram(fixture: string, options: StartOptions): Program {
  const command = [process.execPath, fixturePath(fixture), ...(options.args ?? [])];
  const script = `${options.before ?? ":"}; ${options.after === undefined ? "exec " : ""}"$@" ${options.after ?? ""}`;
  const isShell = options.before !== undefined || options.after !== undefined;
  const [file = "", ...args] = isShell ? ["bash", "-c", script, "bash", ...command] : command;
  const child = spawn(file, args, { stdio: options.stdio ?? "pipe", env: { ...process.env, ...options.env } });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => (text[name] += chunk));
  }
  child.stdin?.on("error", () => {});
  const whenever = (event: "exit" | "close"): Promise<ProgramExit> =>
    new Promise((resolve, reject) => child.once("error", reject).once(event, (code, signal) => resolve({ code, signal })));
  const ended = whenever("close");
  return {
    process: child,
    pid: child.pid ?? -1,
    ended,
    exited: whenever("exit"),
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    async whenPrinted(wanted, where = "stdout") {
      const isOver = ended.then(() => "over");
      while (!text[where].includes(wanted)) {
        const next = new Promise((resolve) => child[where]?.once("data", resolve));
        if ((await Promise.race([isOver, next])) === "over" && !text[where].includes(wanted)) {
          const said = [text.stdout, text.stderr].map((part) => part.slice(-2_000)).join("\n");
          throw new Error(`${fixture} ended without printing ${JSON.stringify(wanted)}:\n${said}`);
        }
      }
    },
    write: (line) => void child.stdin?.write(`${line}\n`),
  };
}
