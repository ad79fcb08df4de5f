// What runs in the thread: the roots that it was told of, and one answer to each question, in order. It uses system calls that wait, which
// is why it is a thread. It loads nothing of other packages: in a bundle it is a file of its own.

import { parentPort } from "node:worker_threads";
import { createRootChanges, type RootChanges, type RootOptions } from "./thread/root-changes.ts";

export type RootVerb = keyof RootChanges;

export interface Question {
  readonly id: number;
  /** Each asker has its own view of a root. */
  readonly asker: string;
  readonly root: RootOptions;
  readonly verb: RootVerb;
  readonly args: readonly unknown[];
}

export type Answer = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: string; readonly code: string | undefined }
);

// Those that were used last stay in memory.
const maxRoots = 8;
const roots = new Map<string, RootChanges>();

function answer({ asker, root, verb, args }: Question): unknown {
  const name = `${asker} ${root.folder}`;
  const known = roots.get(name) ?? createRootChanges(root);
  roots.delete(name);
  roots.set(name, known);
  // All of it is on disk.
  const [oldest] = roots.keys();
  if (roots.size > maxRoots && oldest !== undefined) roots.delete(oldest);
  try {
    return (known[verb] as (...given: readonly unknown[]) => unknown)(...args);
  } catch (error) {
    // What was half done is read anew from the disk.
    roots.delete(name);
    throw error;
  }
}

parentPort?.on("message", (question: Question) => {
  const { id } = question;
  try {
    parentPort?.postMessage({ id, value: answer(question) } satisfies Answer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error), code } satisfies Answer);
  }
});
