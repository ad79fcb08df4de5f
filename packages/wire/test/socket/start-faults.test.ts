// A start that fails at any of its steps. First a normal start is watched to learn which calls it
// makes; then each of those calls fails once, in a start of its own. Whatever happens: nothing is left,
// neither files nor descriptors nor listeners on the process, and the next start works.

import fs from "node:fs";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { countDescriptors, it, until } from "../process/real-programs.ts";
import { askOnce, hourMs, makeOld, namesIn, plantDeadSocket, startSession } from "./sockets.ts";

type Callable = (...parameters: unknown[]) => unknown;
interface Step {
  readonly owner: Record<string, Callable>;
  readonly name: string;
}

const ofFs = (name: string): Step => ({ owner: fs as unknown as Record<string, Callable>, name });
const listenStep: Step = { owner: net.Server.prototype as unknown as Record<string, Callable>, name: "listen" };
/** Without any of these there is no session. */
const needed = [...["mkdirSync", "chmodSync", "writeFileSync", "linkSync", "unlinkSync"].map(ofFs), listenStep];
/** These serve the sweep and the removal too; a start may do without. */
const others = ["openSync", "readdirSync", "lstatSync", "rmSync", "rmdirSync"].map(ofFs);
/** With these files are removed: what could not be removed is all that may stay. */
const removing = new Set(["lstatSync", "rmSync"]);

/** Runs `action` while `before` is called in front of every call of the step and `after` behind it. */
async function tampered<Result>(step: Step, hooks: { before?(): void; after?(): void }, action: () => Promise<Result>): Promise<Result> {
  const original = step.owner[step.name] as Callable;
  step.owner[step.name] = function (this: unknown, ...parameters) {
    hooks.before?.();
    const result = original.apply(this, parameters);
    hooks.after?.();
    return result;
  };
  try {
    return await action();
  } finally {
    step.owner[step.name] = original;
  }
}

async function startAndClose(directory: string, uuid?: string): Promise<void> {
  const { listener } = await startSession(namesIn(directory, uuid), { schema: "{}" });
  expect(await askOnce(listener.path)).toBe("hello");
  await listener.close();
}

/** The calls of the step in a start that works: 1, 2, … */
async function callsOf(step: Step, start: () => Promise<void>): Promise<number[]> {
  let calls = 0;
  await tampered(step, { before: () => void calls++ }, start);
  return Array.from({ length: calls }, (_, index) => index + 1);
}

/** Starts while the nth call of the step throws; returns what the start said. */
async function startFailing(step: Step, when: "before" | "after", nth: number, start: () => Promise<void>): Promise<string> {
  let calls = 0;
  const hook = (): void => {
    if (++calls === nth) throw new Error("injected");
  };
  return tampered(step, { [when]: hook }, () =>
    start().then(
      () => "started",
      (error: Error) => error.message,
    ),
  );
}

const listenerCounts = (): number[] => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((event) => process.listenerCount(event));

beforeEach(() => {
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a start that fails at one step", () => {
  it.for([...needed, ...others])("SOK-09 leaves nothing when $name fails", async (step, { directory }) => {
    const start = (): Promise<void> => startAndClose(directory);
    await start();
    const descriptors = countDescriptors();
    const listeners = listenerCounts();
    const calls = await callsOf(step, start);
    expect(calls).not.toEqual([]);
    for (const nth of calls) {
      const outcome = await startFailing(step, "before", nth, start);
      expect(needed.includes(step) ? ["injected"] : ["injected", "started"]).toContain(outcome);
      expect(fs.readdirSync(directory).length).toBeLessThanOrEqual(removing.has(step.name) ? 1 : 0);
      for (const left of fs.readdirSync(directory)) fs.rmSync(`${directory}/${left}`, { recursive: true });
    }
    expect(listenerCounts()).toEqual(listeners);
    await until(() => countDescriptors() <= descriptors, 30_000, "no descriptor is left");
    await start();
  });

  it.for(["linkSync", "chmodSync", "writeFileSync", "unlinkSync"].map(ofFs))(
    "SOK-09 leaves nothing when $name did its work and is still reported as failed",
    async (step, { directory }) => {
      const start = (): Promise<void> => startAndClose(directory);
      for (const nth of await callsOf(step, start)) {
        expect(await startFailing(step, "after", nth, start)).toBe("injected");
        expect(fs.readdirSync(directory)).toEqual([]);
      }
    },
  );

  it.for([...needed, ...others])(
    "SOK-09 leaves at most the dead socket when $name fails while that is replaced",
    async (step, { directory }) => {
      const uuid = "f".repeat(32);
      const { socketPath } = namesIn(directory, uuid);
      const start = (): Promise<void> => startAndClose(directory, uuid);
      const plant = async (): Promise<void> => {
        for (const left of fs.readdirSync(directory)) fs.rmSync(`${directory}/${left}`, { recursive: true });
        await plantDeadSocket(socketPath);
        makeOld(socketPath, hourMs);
      };
      await plant();
      for (const nth of await callsOf(step, start)) {
        await plant();
        await startFailing(step, "before", nth, start);
        const left = fs.readdirSync(directory).filter((name) => name !== `claudecode_ipc_${uuid}.sock`);
        expect(left.length).toBeLessThanOrEqual(removing.has(step.name) ? 1 : 0);
      }
    },
  );
});
