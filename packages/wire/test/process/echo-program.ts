// Talking to the echo protocol of a real process, for the tests of how such a process ends.

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

/** Resolves when the program has taken in everything that was written so far. */
export async function settle(program: Program, mark: string): Promise<void> {
  ask(program, { id: mark, kind: "status" });
  await program.whenPrinted(`"id":"${mark}"`);
}
