// Large values on their way into the history are copied several times until they are on the disk. They go
// one after the other, over all conversations, so that many of them at once do not fill the memory.

import { limits } from "@hawser/wire";
import { createOneAtATime } from "../one-at-a-time.ts";

export type HeavyWork = <Result>(chars: number, action: () => Promise<Result>) => Promise<Result>;

export function createHeavyWork(): HeavyWork {
  const inTurn = createOneAtATime();
  return (chars, action) => (chars <= limits.agentTokenChars ? action() : inTurn(action));
}
