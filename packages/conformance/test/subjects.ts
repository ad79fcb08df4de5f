// The programs that the tests of this package run suites against, each as a subject.

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

export const pythonSubject = (): Subject => commandSubject({ command: "python3", args: [join(fixtures, "echo_server.py")] });
