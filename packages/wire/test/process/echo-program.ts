// Talking to the echo protocol of a real process, for the tests of how such a process ends.

import { setTimeout as delay } from "node:timers/promises";
import type { Program } from "./real-programs.ts";

export interface Answer {
  readonly id: string;
  readonly type: string;
  readonly code?: string;
  readonly value?: unknown;
}

export const answersOf = (text: string): Answer[] => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Answer]));
export const ask = (program: Program, request: object): void => program.write(JSON.stringify(request));
export const sleeping = (id: string, ms: number): object => ({ id, kind: "sleep", ms });
export const hourMs = 3_600_000;
export const exitedWell = { code: 0, signal: null };

const isMark = ({ id }: Answer): boolean => id.startsWith("mark ");

/**
 * Asks again and again until the program refuses, which shows that it has taken the signal: one that has not run since
 * finds the request in front of the signal, and a second signal would be the same one to it.
 */
export async function whenRefusing(program: Program): Promise<void> {
  const { process: child } = program;
  const isOver = (): boolean => child.exitCode !== null || marksOf(program).some(({ code }) => code === "cancelled");
  for (let count = 0; !isOver(); count++) {
    ask(program, { id: `mark ${count}`, kind: "echo", value: count });
    await delay(20);
  }
}

/** The answers to what `whenRefusing` asked, as far as they have come. */
export const marksOf = (program: Program): Answer[] => wholeAnswersOf(program).filter(isMark);
export const withoutMarks = (answers: readonly Answer[]): Answer[] => answers.filter((answer) => !isMark(answer));

const wholeAnswersOf = ({ stdout }: Program): Answer[] => answersOf(stdout.slice(0, stdout.lastIndexOf("\n") + 1));

/** Resolves when the program has taken in everything that was written so far. */
export async function settle(program: Program, mark: string): Promise<void> {
  ask(program, { id: mark, kind: "status" });
  await program.whenPrinted(`"id":"${mark}"`);
}
