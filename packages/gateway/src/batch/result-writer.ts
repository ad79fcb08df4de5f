// Writes the results of a batch, as lines or as one array. In ordered mode a result that is ahead of its turn is held, within limits.

import { gatewayLimits } from "../limits.ts";
import type { BatchOptions } from "./run-batch.ts";

export interface ResultWriter {
  /** Resolves when the output took it, or when it is held for its turn. Rejects when the output fails. */
  write(index: number, text: string): Promise<void>;
  /** Whether the item `index` may start now. */
  whenRoom(index: number): Promise<void>;
  end(): Promise<void>;
}

export function createResultWriter(options: Pick<BatchOptions, "ordered" | "output" | "write">): ResultWriter {
  const isArray = options.output === "json";
  const held = new Map<number, string>();
  let heldBytes = 0;
  let nextIndex = 0;
  let written = 0;
  let last: Promise<void> = Promise.resolve();
  let moved: PromiseWithResolvers<void> | undefined;

  function put(text: string): Promise<void> {
    const separator = written === 0 ? "[\n" : ",\n";
    written++;
    last = last.then(() => options.write(isArray ? separator + text : `${text}\n`));
    return last;
  }

  async function putInOrder(index: number, text: string): Promise<void> {
    held.set(index, text);
    heldBytes += Buffer.byteLength(text);
    for (let ready = held.get(nextIndex); ready !== undefined; ready = held.get(nextIndex)) {
      held.delete(nextIndex++);
      await put(ready);
      heldBytes -= Buffer.byteLength(ready);
    }
    moved?.resolve();
    moved = undefined;
  }

  const isFull = (index: number): boolean =>
    index - nextIndex >= gatewayLimits.batchHeldEntries || (heldBytes > gatewayLimits.batchHeldBytes && index !== nextIndex);

  return {
    write: (index, text) => (options.ordered ? putInOrder(index, text) : put(text)),
    async whenRoom(index) {
      while (options.ordered && isFull(index)) await (moved ??= Promise.withResolvers<void>()).promise;
    },
    async end() {
      await last;
      if (isArray) await options.write(written === 0 ? "[]\n" : "\n]\n");
    },
  };
}
