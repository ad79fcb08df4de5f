// Answers of the reader itself: of control operations and for lines that are no request. They keep
// the order in which they were read. Most are there at once; those behind one that takes a while
// (`reload_config`) wait for it, and the calls do not.

import type { Outbox } from "./outbox.ts";

export interface ControlAnswers {
  readonly waiting: number;
  put(text: string): void;
  /** Must not reject. */
  putLater(text: Promise<string>): void;
  /** Resolves when every answer so far is in the outbox. */
  whenPut(): Promise<void>;
}

export function createControlAnswers(outbox: Outbox): ControlAnswers {
  let last: Promise<void> | undefined;
  let waiting = 0;

  async function putInTurn(text: Promise<string>, before: Promise<void> | undefined): Promise<void> {
    const ready = await text;
    await before;
    outbox.put(ready);
    waiting--;
    if (waiting === 0) last = undefined;
  }

  function putLater(text: Promise<string>): void {
    waiting++;
    last = putInTurn(text, last);
  }

  return {
    get waiting() {
      return waiting;
    },
    put(text) {
      if (last) putLater(Promise.resolve(text));
      else outbox.put(text);
    },
    putLater,
    whenPut: () => last ?? Promise.resolve(),
  };
}
