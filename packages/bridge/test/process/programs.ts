// Starts the programs in test/fixtures that play parents and clients, and ends them with the test.

import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { it as bridgesIt } from "./bridges.ts";

export interface Program {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<void>;
  /** The first line that it prints. */
  readonly firstLine: Promise<string>;
}

export const it = bridgesIt.extend<{ run: (command: string, args: readonly string[], options?: { env?: NodeJS.ProcessEnv }) => Program }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from this pattern
  run: async ({}, use) => {
    const programs: Program[] = [];
    await use((command, args, { env = {} } = {}) => {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
      const program: Program = {
        process: child,
        pid: child.pid ?? -1,
        exited: new Promise((resolve) => child.once("exit", () => resolve())),
        firstLine: new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve)),
      };
      programs.push(program);
      return program;
    });
    for (const program of programs) program.process.kill("SIGKILL");
    await Promise.all(programs.map((program) => program.exited));
  },
});

/** Arguments for Node that run a fixture from the sources. */
export const fixture = (name: string, ...args: readonly string[]): string[] => [
  "--conditions=hawser-source",
  join(import.meta.dirname, `../fixtures/${name}`),
  ...args,
];
