// Asks the person at the terminal whether a tool may run, and shows everything that would happen, one question at a time. An
// answer is a word and Enter, typed after the question was shown: what was typed before doesn't count, nor the rest of a line
// that was begun before, nor one of several lines that came at once, as a paste does. "always" has no short form.

import { createInterface } from "node:readline";
import type { Decision, OnPermission, PermissionAnswer, PermissionRequest } from "@hawser/agent/host";
import { whenAborted } from "@hawser/wire/internal";
import { answerWordsFor, type AnswerWords } from "./answer-words.ts";
import { showOffers, showQuestion } from "./question.ts";
import { terminal } from "./tool-card.ts";
import type { TurnView } from "./turn-view.ts";
import type { Typing } from "./typing.ts";

/** `onInterrupt`: Ctrl-C at a question. `typing`: who reads the keys otherwise. */
export function createApproval(
  view: Pick<TurnView, "pause" | "resume">,
  onInterrupt: () => void,
  typing?: Pick<Typing, "hold" | "release">,
): OnPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const answer = last.then(async () => {
      if (signal.aborted) return "deny";
      const isLineBegun = typing?.hold() ?? false;
      view.pause();
      return ask(request, { signal, onInterrupt, isLineBegun }).finally(() => {
        view.resume();
        typing?.release();
      });
    });
    last = answer.catch(() => {});
    return answer;
  };
}

/** Ctrl-C; or the question or the terminal is gone. */
type End = "interrupt" | "gone";

const { paint, write } = terminal;

interface Asking {
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
  /** A line was begun elsewhere: its rest is not an answer. */
  readonly isLineBegun: boolean;
}

async function ask(request: PermissionRequest, { signal, onInterrupt, isLineBegun }: Asking): Promise<Decision | PermissionAnswer> {
  const words = answerWordsFor(request);
  for (let isWhole = false; ; isWhole = true) {
    const early = await dropTypedAhead(signal);
    const isOver = early === "interrupt" || early === "gone";
    if (!isOver) write(showQuestion(request, terminal, isWhole) + showOffers(words, terminal));
    const answer = isOver ? early : await readWord(words, signal, early === "unfinished" || (isLineBegun && !isWhole));
    if (answer === "interrupt" || answer === "gone") {
      write(signal.aborted ? "\n  too late\n" : "\n  denied\n");
      if (answer === "interrupt") onInterrupt();
      return "deny";
    }
    if (answer !== "show all") return { ...answer, via: "word" };
  }
}

const typedAheadMs = 100;
/** Lines that come within this time were not typed one after the other. */
const togetherMs = 50;
const interruptKey = "\u0003";

/** Leaves the terminal as it is for `readWord`, so that no key falls between the two. `unfinished`: a line was begun. */
async function dropTypedAhead(signal: AbortSignal): Promise<End | "nothing" | "unfinished"> {
  const { stdin } = process;
  const over = Promise.withResolvers<End | "nothing" | "unfinished">();
  let dropped = "";
  function onData(chunk: Buffer | string): void {
    dropped = String(chunk);
    if (dropped.includes(interruptKey)) over.resolve("interrupt");
  }
  const onEnd = (): void => over.resolve("gone");
  stdin.setRawMode(true);
  stdin.on("data", onData).on("end", onEnd).resume();
  void whenAborted(signal).then(onEnd);
  let turn: NodeJS.Immediate | undefined;
  const settle = (): void => over.resolve(dropped === "" || /[\r\n]$/.test(dropped) ? "nothing" : "unfinished");
  // Timers run before input is read: where the process was busy all the while, what lies there is let in first.
  const timer = setTimeout(() => (turn = setImmediate(settle)), typedAheadMs);
  const result = await over.promise;
  clearTimeout(timer);
  clearImmediate(turn);
  stdin.off("data", onData).off("end", onEnd);
  if (result === "interrupt" || result === "gone") {
    stdin.pause();
    stdin.setRawMode(false);
  }
  return result;
}

type Meaning = Pick<PermissionAnswer, "decision" | "optionId">;

const toWord = (line: string): string => line.trim().toLowerCase().replaceAll(/\s+/g, " ");

async function readWord({ named, meanings }: AnswerWords, signal: AbortSignal, isRestOfLine: boolean): Promise<End | Meaning | "show all"> {
  const words = named.map(({ word, note }) => `${paint("bold", word)}${note === undefined ? "" : ` ${note}`}`);
  const prompt = `  ${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}? `;
  const over = Promise.withResolvers<End | Meaning | "show all">();
  const reader = createInterface({ input: process.stdin, output: process.stdout, terminal: true, historySize: 0, prompt });
  let lines: string[] = [];
  let isDoubtful = isRestOfLine;
  function judge(): void {
    const [line = ""] = lines;
    const word = toWord(line);
    const isOne = lines.length === 1 && !isDoubtful;
    const answer = isOne ? (word === "v" ? "show all" : meanings.get(word)) : undefined;
    lines = [];
    isDoubtful = false;
    if (answer !== undefined) return over.resolve(answer);
    write(`  ${paint("dim", "Not an answer. Write one word and press Enter, or stop the turn with Ctrl-C:")}\n`);
    reader.prompt();
  }
  reader.on("line", (line) => {
    if (lines.push(line) === 1) setTimeout(judge, togetherMs);
  });
  reader.on("SIGINT", () => over.resolve("interrupt"));
  reader.on("close", () => over.resolve("gone"));
  void whenAborted(signal).then(() => over.resolve("gone"));
  reader.prompt();
  try {
    return await over.promise;
  } finally {
    reader.close();
  }
}
