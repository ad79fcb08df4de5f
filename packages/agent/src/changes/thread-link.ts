// The thread that looks at trees, from the outside. One serves the whole process, one question at a time. It starts when it is first needed,
// is ended after a while without work, and keeps no process alive. Where it dies, what was asked of it fails, and the next question
// starts another one.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { describeThrown, HawserError } from "@hawser/protocol";
import { undoLimits } from "./limits.ts";
import type { Answer, Question, RootVerb } from "./changes-thread.ts";
import type { RootChanges, RootOptions } from "./thread/root-changes.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

// The same from the sources, from what the compiler makes of them, and in the bundle, where it lies beside what loads it.
const program = new URL(`./changes-thread${extname(import.meta.url)}`, import.meta.url);

const waiting = new Map<number, Waiting>();
let thread: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;
let lastId = 0;

/** Each `asker` has its own view of a root. */
export function askThread<Verb extends RootVerb>(
  asker: string,
  root: RootOptions,
  verb: Verb,
  args: Parameters<RootChanges[Verb]>,
): Promise<ReturnType<RootChanges[Verb]>> {
  clearTimeout(idleTimer);
  thread ??= startThread();
  // The asker waits for it: the process must not end before it has answered.
  thread.ref();
  const id = ++lastId;
  const answered = Promise.withResolvers<unknown>();
  waiting.set(id, answered);
  thread.postMessage({ id, asker, root, verb, args } satisfies Question);
  return answered.promise as Promise<ReturnType<RootChanges[Verb]>>;
}

function startThread(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: undoLimits.undoThreadBytes / 1_048_576 };
  const started = new Worker(program, { env: {}, resourceLimits });
  started.on("message", take);
  started.once("error", (error) => onEnd(started, error));
  started.once("exit", () => onEnd(started, "it has ended"));
  return started;
}

function take(answer: Answer): void {
  const asked = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("error" in answer) asked?.reject(new HawserError("internal", answer.error, { facts: { code: answer.code } }));
  else asked?.resolve(answer.value);
  if (waiting.size > 0) return;
  thread?.unref();
  idleTimer = setTimeout(endThread, undoLimits.undoThreadIdleMs).unref();
}

function endThread(): void {
  // Nothing waits for its end: between two questions it holds no file.
  void thread?.terminate();
  // What is asked before it has ended goes to another one.
  thread = undefined;
}

function onEnd(ended: Worker, reason: unknown): void {
  if (thread !== ended) return;
  thread = undefined;
  const error = new HawserError("internal", `the thread that looks at files has failed: ${describeThrown(reason)}`, { cause: reason });
  for (const { reject } of waiting.values()) reject(error);
  waiting.clear();
}
