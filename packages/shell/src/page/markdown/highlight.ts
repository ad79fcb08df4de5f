// Asks a worker what is what in a piece of code. One piece after the other; one that takes too long is given up together with its
// worker, and stays as it is. Nothing is loaded before the first piece of code.

import { shellLimits } from "../../limits.ts";

export type CodeSort = "comment" | "keyword" | "text" | "value" | "name" | "added" | "removed";
export type CodePiece = readonly [sort: CodeSort | "", text: string];

export interface HighlightQuestion {
  readonly code: string;
  readonly language: string;
}

export interface HighlightAnswer {
  /** Undefined for a language that is not known. */
  readonly pieces: readonly CodePiece[] | undefined;
}

interface Waiting extends HighlightQuestion {
  settle(pieces: HighlightAnswer["pieces"]): void;
}

const queue: Waiting[] = [];
let worker: Worker | undefined;
let current: Waiting | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Resolves to undefined where there is nothing to tell apart, or no way to. */
export function highlight(code: string, language: string): Promise<HighlightAnswer["pieces"]> {
  const { shellHighlightChars, shellHighlightEntries } = shellLimits;
  if (language === "" || code.length > shellHighlightChars || typeof Worker === "undefined") return Promise.resolve(undefined);
  return new Promise((resolve) => {
    queue.push({ code, language, settle: resolve });
    // Those that have waited longest have scrolled away.
    if (queue.length > shellHighlightEntries) queue.shift()?.settle(undefined);
    next();
  });
}

function next(): void {
  if (current) return;
  current = queue.shift();
  if (!current) return;
  worker ??= startWorker();
  const { code, language } = current;
  worker.postMessage({ code, language } satisfies HighlightQuestion);
  timer = setTimeout(giveUp, shellLimits.shellHighlightMs);
}

function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<HighlightAnswer>) => end(data.pieces));
  started.addEventListener("error", (event) => {
    event.preventDefault();
    giveUp();
  });
  return started;
}

function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  end(undefined);
}

function end(pieces: HighlightAnswer["pieces"]): void {
  clearTimeout(timer);
  const ended = current;
  current = undefined;
  ended?.settle(pieces);
  next();
}
