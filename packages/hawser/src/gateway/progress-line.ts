// How far a batch is, on one line of the terminal that is written over. Shown only where it disturbs
// nothing: stderr is a terminal and the results go elsewhere.

import { printStyled } from "../terminal.ts";

export interface ProgressLine {
  show(done: number, failed: number): void;
  /** Removes the line. */
  end(): void;
}

const redrawMs = 100;
const eraseLine = "\r\u001b[2K";

export function createProgressLine(now: () => number = () => performance.now()): ProgressLine {
  const isShown = process.stderr.isTTY && !process.stdout.isTTY;
  let drawnAt = -Infinity;
  return {
    show(done, failed) {
      if (!isShown || now() - drawnAt < redrawMs) return;
      drawnAt = now();
      printStyled(process.stderr, `${eraseLine}${done} calls done${failed > 0 ? `, ${failed} failed` : ""}`);
    },
    end() {
      if (isShown && drawnAt > -Infinity) printStyled(process.stderr, eraseLine);
    },
  };
}
