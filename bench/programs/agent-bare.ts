// Writes the lines that an agent runtime writes for an order of tokens, with nothing but
// process.stdout.write. It waits when the pipe is full, as any program must.

import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { orderedTokens, type TokenOrder } from "../peers/token-order.ts";

const write = async (response: object): Promise<void> => {
  if (!process.stdout.write(`${JSON.stringify({ ...response, timestamp: Date.now() })}\n`)) await once(process.stdout, "drain");
};

await write({ type: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, message } = JSON.parse(line) as { id: string; message: string };
  const order = JSON.parse(message) as TokenOrder;
  let seq = 0;
  for (const token of orderedTokens(order)) {
    if (order.pauseMs > 0) await sleep(order.pauseMs);
    await write({ type: "token", id, token: token(), seq: ++seq });
  }
  await write({ type: "done", id });
}
