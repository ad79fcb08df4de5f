// Large values on their way into the history are copied several times until they are on the disk. They go
// one after the other, over all conversations, so that many of them at once do not fill the memory.

import { limits } from "@hawser/wire";

export type HeavyWork = <Result>(chars: number, action: () => Promise<Result>) => Promise<Result>;

export function createHeavyWork(): HeavyWork {
  let last: Promise<unknown> = Promise.resolve();
  return (chars, action) => {
    if (chars <= limits.agentTokenChars) return action();
    const result = last.then(action);
    last = result.catch(() => {});
    return result;
  };
}
