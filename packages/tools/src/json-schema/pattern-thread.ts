// Tries regular expressions that may take long in a thread of their own, while this one goes on. One thread serves the whole
// process, one expression at a time. It starts when it is first needed, is ended with an expression that does not end in
// time and after a while without work, and keeps no process alive.

import { Worker } from "node:worker_threads";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { toolLimits } from "../limits.ts";
import { createSemaphore } from "@hawser/wire/internal";
import { invalidPattern, type PatternTest } from "./checking.ts";

// Plain JavaScript, since a bundle has no file that could be named here.
const source = `
const { parentPort } = require("node:worker_threads");
const known = new Map();
parentPort.on("message", ({ pattern, text }) => {
  try {
    if (known.size > 100) known.clear();
    const expression = known.get(pattern) ?? new RegExp(pattern, "u");
    known.set(pattern, expression);
    parentPort.postMessage(expression.test(text));
  } catch (error) {
    parentPort.postMessage(String(error));
  }
});
parentPort.postMessage("ready");
`;

// The limit counts the one that is being tried, too.
const turns = createSemaphore(1, { maxWaiting: toolLimits.schemaWaitingEntries - 1 });
let thread: ReturnType<typeof startThread> | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** Expressions that were tried in the thread, since the process began. */
export const patternThreadStats = { tests: 0 };

/** The time that one check may take here, for all its texts together; waiting does not count. */
type Allowance = { leftMs: number };

/** Whether the text matches. Rejects with `usage` if the expression is not one, with `invalid_arguments` if that takes longer than allowed, with `overloaded` if too many wait. */
export async function testInThread(test: PatternTest, allowance: Allowance): Promise<boolean> {
  if (turns.isFull)
    throw new HawserError(
      "overloaded",
      "too many values wait to be checked by regular expressions that may take long; try again a little later",
    );
  const answer = await turns.run(() => ask(test, allowance));
  if (typeof answer === "string") throw invalidPattern(test.pattern, answer);
  return answer;
}

/** Whether it matches, or what is wrong with the expression. */
async function ask(test: PatternTest, allowance: Allowance): Promise<boolean | string> {
  clearTimeout(idleTimer);
  thread ??= startThread();
  const { worker, ready, failed } = thread;
  // What asks is waiting for it, and would wait forever if the process ended now.
  worker.ref();
  const late = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  let startedAt = performance.now();
  try {
    await Promise.race([ready, failed]);
    const answer = new Promise<boolean | string>((resolve) => worker.once("message", resolve));
    timer = setTimeout(() => late.reject(tooSlow(test.pattern)), allowance.leftMs);
    startedAt = performance.now();
    worker.postMessage(test);
    patternThreadStats.tests++;
    return await Promise.race([answer, failed, late.promise]);
  } catch (error) {
    endThread();
    throw HawserError.isInstance(error) ? error : tooSlow(test.pattern, error);
  } finally {
    clearTimeout(timer);
    allowance.leftMs = Math.max(1, allowance.leftMs - (performance.now() - startedAt));
    worker.unref();
    idleTimer = setTimeout(endThread, toolLimits.schemaThreadIdleMs).unref();
  }
}

function startThread() {
  const resourceLimits = { maxOldGenerationSizeMb: 64 };
  const worker = new Worker(source, { eval: true, env: {}, execArgv: [], resourceLimits });
  // It ends by itself for want of memory.
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  failed.catch(() => {});
  // Its start is not the expression's fault.
  const ready = new Promise((resolve) => worker.once("message", resolve));
  return { worker, failed, ready };
}

function endThread(): void {
  // Nothing waits for its end: it has no file and no socket, and an ending process takes it along.
  void thread?.worker.terminate();
  thread = undefined;
}

function tooSlow(pattern: string, cause?: unknown): HawserError {
  const message = `the pattern ${quoteShort(pattern, 200)} takes too long for this text; give another text, or simplify the pattern`;
  return new HawserError("invalid_arguments", message, { cause });
}
