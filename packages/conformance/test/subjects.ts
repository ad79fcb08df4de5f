// The programs that the tests of this package run suites against, each as a subject.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll } from "vitest";
// By its path: the suites are for any implementation, and the package depends on none.
import { createIPCSession } from "../../bridge/src/index.ts";
import { packProgram } from "../../../test/kit/packed-program.ts";
import { bridgeSubject } from "../src/bridge-subject.ts";
import { commandSubject, type Subject } from "../src/index.ts";
import { parentSubject } from "../src/parent-subject.ts";
import { startEchoServer } from "./fixtures/echo-server.ts";
import { plainBridge } from "./fixtures/plain-bridge.ts";
import { tools } from "./fixtures/parent-tools.ts";
import { plainParent, type RunningParent } from "./fixtures/plain-parent.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const cache = mkdtempSync(join(tmpdir(), "hawser-conformance-"));
// What was just ended may have one more file to make.
afterAll(() => rmSync(cache, { recursive: true, force: true, maxRetries: 20 }));

// Compiled once instead of once per scenario.
const env = { ...process.env, NODE_COMPILE_CACHE: cache };

/** A fixture as a subject that is given little time to end: many of them never would. */
export const fixtureSubject = (file: string, ...args: string[]): Subject =>
  impatient(["--conditions=hawser-source", join(fixtures, file), ...args]);

const impatient = (args: readonly string[]): Subject =>
  commandSubject({ command: process.execPath, args, env, stopInputMs: 500, stopSignalMs: 100 });

/** In the form that starts quickly: a suite starts its subject for every scenario. */
const pack = async (name: string, entry: string): Promise<string> => join(await packProgram({ name, entry }), "dist", "main.js");
const packFixture = (name: string): Promise<string> => pack(name, `packages/conformance/test/fixtures/${name}.ts`);

/** Our echo server in a process of its own. */
export const ourEcho = async (): Promise<Subject> => impatient([await packFixture("our-echo")]);

/** An echo server that runs in this process, since dozens of starts for each of many faults would take minutes. */
export function plainEchoSubject(fault?: string): Subject {
  return {
    name: "echo-server",
    hasProcess: true,
    open() {
      const input = new PassThrough();
      const output = new PassThrough();
      const { ended, terminate } = startEchoServer(input, output, fault);
      const exited = ended.then((code) => {
        output.end();
        return { code, signal: null };
      });
      const close = async (): Promise<void> => {
        output.destroy();
        input.destroy();
      };
      return Promise.resolve({ input, output, process: { pid: 0, exited, kill: terminate }, lastWords: () => "", close });
    },
  };
}

/** The path of Python's own program, which starts faster than a wrapper around it; undefined where there is none. */
export function findPython(): string | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

export const pythonSubject = (python: string): Subject => commandSubject({ command: python, args: [join(fixtures, "echo_server.py")] });

// --- bridges and parents

const builtBridge = join(import.meta.dirname, "../../bridge/dist/bridge.cjs");

/** Our bridge as it is published, which starts faster than anything else. */
export const ourBridge = (...options: string[]): Subject =>
  bridgeSubject({ command: process.execPath, args: [builtBridge, ...options, "{socket}", "{schema}"], env });

/** On a busy machine too. */
const startMs = 100_000;

/** Our session in a process of its own. */
export const ourParent = async (): Promise<Subject> =>
  parentSubject({ command: process.execPath, args: [await packFixture("our-parent")], env, startMs });

export const pythonParent = (python: string): Subject => parentSubject({ command: python, args: [join(fixtures, "parent.py")], startMs });

/** A bridge that runs in this process, since dozens of starts for each of many faults would take minutes. */
export function plainBridgeSubject(fault?: string): Subject {
  return bridgeSubject({ command: "plain-bridge", args: [] }, ({ args = [] }) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const log: string[] = [];
    const ended = plainBridge({ args, input, output, log: (text) => void log.push(text) }, fault);
    const exited = ended.then((code) => {
      output.end();
      return { code, signal: null };
    });
    const close = async (): Promise<void> => {
      input.destroy();
      output.destroy();
    };
    return Promise.resolve({ input, output, process: { pid: 0, exited, kill: () => {} }, lastWords: () => log.join("\n"), close });
  });
}

/** Our session in this process, where it takes no time to start. */
export const ourParentInProcess = (): Subject =>
  parentHere("our session", async (directory) => {
    const session = createIPCSession(tools, { directory });
    await session.start();
    return { config: session.mcpServerConfig, stop: () => session.stop() };
  });

export const plainParentSubject = (fault?: string): Subject => parentHere("plain-parent", (directory) => plainParent(directory, fault));

/** A parent that runs in this process; every signal ends it. */
function parentHere(command: string, start: (directory: string) => Promise<RunningParent>): Subject {
  return parentSubject({ command }, async (options) => {
    const parent = await start(options.env?.["TMPDIR"] ?? "");
    const output = new PassThrough();
    const exit = Promise.withResolvers<{ code: number; signal: null }>();
    output.write(`${JSON.stringify(parent.config)}\n`);
    const stop = async (): Promise<void> => {
      await parent.stop();
      exit.resolve({ code: 0, signal: null });
    };
    const process = { pid: 0, exited: exit.promise, kill: () => void stop() };
    return { input: new PassThrough(), output, process, lastWords: () => "", close: stop };
  });
}
