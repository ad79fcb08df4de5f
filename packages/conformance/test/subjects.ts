// The programs that the tests of this package run suites against, each as a subject.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { commandSubject, type Subject } from "../src/index.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const cache = mkdtempSync(join(tmpdir(), "hawser-conformance-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** A fixture as a subject that is given little time to end: many of them never would. */
export function fixtureSubject(file: string, ...args: string[]): Subject {
  return commandSubject({
    command: process.execPath,
    args: ["--conditions=hawser-source", join(fixtures, file), ...args],
    // Compiled once instead of once per scenario.
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stopInputMs: 500,
    stopSignalMs: 100,
  });
}

/** The path of Python's own program, which starts faster than a wrapper around it; undefined where there is none. */
export function findPython(): string | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

export const pythonSubject = (python: string): Subject => commandSubject({ command: python, args: [join(fixtures, "echo_server.py")] });
