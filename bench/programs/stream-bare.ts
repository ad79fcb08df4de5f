// Writes the lines that the echo protocol's `stream` writes, with nothing but process.stdout.write.
// Each line of input is such a request. It waits when the pipe is full, as any program must.

import { once } from "node:events";
import { createInterface } from "node:readline";

interface StreamRequest {
  readonly id: string;
  readonly count: number;
  readonly bytes: number;
}

async function stream({ id, count, bytes }: StreamRequest): Promise<void> {
  const text = "x".repeat(bytes);
  for (let index = 0; index < count; index++) {
    if (!process.stdout.write(`${JSON.stringify({ id, type: "piece", index, text })}\n`)) await once(process.stdout, "drain");
  }
  process.stdout.write(`${JSON.stringify({ id, type: "done" })}\n`);
}

for await (const line of createInterface({ input: process.stdin })) await stream(JSON.parse(line) as StreamRequest);
