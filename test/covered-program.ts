// A program under test that runs from the sources and says which files of ours have run a function in a stretch of its life.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = join(import.meta.dirname, "..");

export interface CoveredProgram {
  writeLine(message: object | string): void;
  /** The next line of its stdout that `isWanted`; the ones before it are dropped. */
  readLine(isWanted?: (line: string) => boolean): Promise<string>;
  /** The files that have run a function since this was asked last, from the root of the repository. */
  takeExecuted(): Promise<string[]>;
  /** Ends its input, or sends it a signal, and waits for its end. */
  end(signal?: "SIGTERM"): Promise<void>;
}

export interface CoveredProgramOptions {
  readonly args: readonly string[];
  /** Where coverage is written, and what the program takes for its home. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export function startCovered({ args, folder, env }: CoveredProgramOptions): CoveredProgram {
  const preload = join(import.meta.dirname, "fixtures/take-coverage.mjs");
  const child = spawn(process.execPath, ["--conditions=hawser-source", "--import", preload, ...args], {
    cwd: root,
    env: {
      ...process.env,
      NODE_V8_COVERAGE: folder,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  // When a test fails, nothing is left running.
  process.once("exit", () => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const reports = (): string[] => readdirSync(folder).filter((name) => name.startsWith(`coverage-${child.pid}-`));
  const read = new Set<string>();

  return {
    writeLine: (message) => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    async readLine(isWanted = () => true) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${args.join(" ")}: its output has ended`);
        if (isWanted(value)) return value;
      }
    },
    async takeExecuted() {
      child.kill("SIGUSR2");
      let report = reports().find((name) => !read.has(name));
      while (report === undefined) {
        await sleep(20);
        report = reports().find((name) => !read.has(name));
      }
      read.add(report);
      return executedIn(await readWhole(join(folder, report)));
    },
    async end(signal) {
      if (signal) child.kill(signal);
      else child.stdin.end();
      await exited;
    },
  };
}

interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** The report may still be written. */
async function readWhole(path: string): Promise<Report> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as Report;
    } catch {
      await sleep(20);
    }
  }
}

const executedIn = ({ result }: Report): string[] =>
  result
    .filter(({ url, functions }) => url.startsWith("file:") && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((path) => /^packages\/[^/]+\/src\//.test(path))
    .toSorted();
