// Asks the person at the terminal whether a tool may run, and shows everything that would happen, one question at a time. An
// answer is a word and Enter, typed after the question was shown; "always" has no short form. What was typed before doesn't
// count, nor the rest of a line that was begun before, nor one of several lines that came at once, as a paste does. The
// terminal is put back in order afterwards, whatever happens.

import { createInterface } from "node:readline";
import type { Decision, OnPermission, PermissionAnswer, PermissionRequest } from "@hawser/agent/host";
import { showQuestion, terminal } from "./tool-card.ts";
import type { TurnView } from "./turn-view.ts";

/** `onInterrupt`: Ctrl-C at a question. */
export function createApproval(view: TurnView, onInterrupt: () => void): OnPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const answer = last.then(async () => {
      if (signal.aborted) return "deny";
      view.pause();
      return askOne(request, signal, onInterrupt).finally(view.resume);
    });
    last = answer.catch(() => {});
    return answer;
  };
}

type Answer = Decision | PermissionAnswer;

async function askOne(request: PermissionRequest, signal: AbortSignal, onInterrupt: () => void): Promise<Answer> {
  const { paint, write } = terminal;
  const [yes, no, always] = ["yes", "no", "always"].map((word) => paint("bold", word));
  const prompt = `  ${yes} (once), ${no} or ${always}? `;
  const accepts = (line: string): boolean => answers.has(toWord(line));
  const refuse = (): void => write(`  ${paint("dim", "Not an answer. Write one word and press Enter:")}\n`);
  for (let isWhole = false; ; isWhole = true) {
    const ask = (): void => write(showQuestion(request, terminal, isWhole));
    const answer = await readAnswer({ signal, prompt, ask, accepts, refuse });
    if ("end" in answer) {
      write(signal.aborted ? "\n  too late\n" : "\n  denied\n");
      if (answer.end === "interrupt") onInterrupt();
      return "deny";
    }
    const decision = answers.get(toWord(answer.line));
    if (decision !== undefined && decision !== "show all") return { decision, via: "word" };
  }
}

const toWord = (line: string): string => line.trim().toLowerCase();

const answers: ReadonlyMap<string, Decision | "show all"> = new Map([
  ["yes", "allow"],
  ["y", "allow"],
  ["always", "allow_always"],
  ["no", "deny"],
  ["n", "deny"],
  ["v", "show all"],
]);

const typedAheadMs = 100;
/** Lines that come within this time were not typed one after the other. */
const togetherMs = 50;
const interruptKey = "\u0003";

export type AnswerLine = { readonly line: string } | { readonly end: "interrupt" | "gone" };

export interface AnswerOptions {
  /** `gone` when it aborts. */
  readonly signal: AbortSignal;
  /** Stands before what is typed. */
  readonly prompt: string;
  /** Shows the question. */
  ask(): void;
  /** Whether a line is an answer. */
  accepts(line: string): boolean;
  /** Tells that a line was no answer; the prompt is shown again. */
  refuse(): void;
}

export async function readAnswer(options: AnswerOptions): Promise<AnswerLine> {
  const early = await dropTypedAhead(options.signal);
  if ("end" in early) return early;
  options.ask();
  return readLine(options, early.isUnfinished);
}

type TypedAhead = { readonly isUnfinished: boolean } | { readonly end: "interrupt" | "gone" };

/** Leaves the terminal as it is for `readLine`, so that no key falls between the two. */
async function dropTypedAhead(signal: AbortSignal): Promise<TypedAhead> {
  const { stdin } = process;
  const over = Promise.withResolvers<TypedAhead>();
  let dropped = "";
  function onData(chunk: Buffer | string): void {
    dropped = String(chunk);
    if (dropped.includes(interruptKey)) over.resolve({ end: "interrupt" });
  }
  const onEnd = (): void => over.resolve({ end: "gone" });
  stdin.setRawMode(true);
  stdin.on("data", onData).on("end", onEnd).resume();
  signal.addEventListener("abort", onEnd, { once: true });
  if (signal.aborted) onEnd();
  let turn: NodeJS.Immediate | undefined;
  const isUnfinished = (): boolean => dropped !== "" && !/[\r\n]$/.test(dropped);
  // Timers run before input is read: where the process was busy all the while, what lies there is let in first.
  const timer = setTimeout(() => (turn = setImmediate(() => over.resolve({ isUnfinished: isUnfinished() }))), typedAheadMs);
  const result = await over.promise;
  clearTimeout(timer);
  clearImmediate(turn);
  signal.removeEventListener("abort", onEnd);
  stdin.off("data", onData).off("end", onEnd);
  if ("end" in result) {
    stdin.pause();
    stdin.setRawMode(false);
  }
  return result;
}

async function readLine({ signal, prompt, accepts, refuse }: AnswerOptions, isRestOfLine: boolean): Promise<AnswerLine> {
  const answer = Promise.withResolvers<AnswerLine>();
  const reader = createInterface({ input: process.stdin, output: process.stdout, terminal: true, historySize: 0, prompt });
  let lines: string[] = [];
  let isDoubtful = isRestOfLine;
  function judge(): void {
    const [line = ""] = lines;
    const isAnswer = lines.length === 1 && !isDoubtful && accepts(line);
    lines = [];
    isDoubtful = false;
    if (isAnswer) return answer.resolve({ line });
    refuse();
    reader.prompt();
  }
  reader.on("line", (line) => {
    if (lines.push(line) === 1) setTimeout(judge, togetherMs);
  });
  reader.on("SIGINT", () => answer.resolve({ end: "interrupt" }));
  const onGone = (): void => answer.resolve({ end: "gone" });
  reader.on("close", onGone);
  signal.addEventListener("abort", onGone, { once: true });
  if (signal.aborted) onGone();
  reader.prompt();
  try {
    return await answer.promise;
  } finally {
    signal.removeEventListener("abort", onGone);
    reader.close();
  }
}
