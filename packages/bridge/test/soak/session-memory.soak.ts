// The memory of a program that uses sessions for a long time (SOK-12): [count] of them one after the other, each with a
// connection and a call, as V8 is by itself: no flag, and no collection that a program would not have. What an ended
// session leaves has to be garbage that the young generation clears away; else the old one grows, and memory with it.
// The young generation itself takes up to a hundred megabytes where a program is fast, which says nothing about us. It is what makes
// the resident memory grow, in steps, until it has the size that V8 wants: without it and without the room that V8's old space keeps
// between two full collections, nothing may be left of what is resident, be it buffers, handles or an allocator that keeps its pages.
//   node --conditions=hawser-source packages/bridge/test/soak/session-memory.soak.ts [count, 10000 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getHeapSpaceStatistics } from "node:v8";
import { defineTool } from "@hawser/tools";
import { connectSocket, createStreamTransport, lengthPrefix } from "@hawser/wire/node";
import { createIPCSession } from "../../src/parent/session.ts";

const count = Number(process.argv[2] ?? 10_000);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: session-memory.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}
// Code that is compiled on the way, and the sockets themselves, which Node keeps until V8 collects everything. It does not
// depend on the count.
const maxGrowthBytes = 16_000_000;
/** Of what is resident and none of V8's heap. */
const maxOutsideBytes = 32_000_000;
const warmUp = 20;
const directory = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
const tool = defineTool({ name: "echo", description: "", input: { type: "object" }, run: ({ n }) => String(n) });

async function runSession(number: number): Promise<void> {
  await using session = createIPCSession([tool], { directory });
  await session.start();
  const socket = await connectSocket(session.socketPath);
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  await transport.send({ method: "call_tool", params: { name: "echo", arguments: { n: number } } });
  for await (const item of transport.incoming) {
    const text = item.kind === "message" ? item.text : item.error.message;
    if (!text.includes(`"text":"${number}"`)) throw new Error(`session ${number} answered ${text}`);
    break;
  }
  await transport.close();
}

/** What the young generation does not hold: V8's old space, and what lies outside of its heap. */
function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("new_"));
  return old.reduce((sum, space) => sum + space.space_used_size, 0) + process.memoryUsage().external;
}

/** What the process holds outside of V8's heap. */
function outsideBytes(): number {
  const heap = getHeapSpaceStatistics().reduce((sum, space) => sum + space.physical_space_size, 0);
  return process.memoryUsage().rss - heap;
}

try {
  for (let number = 0; number < warmUp; number++) await runSession(number);
  const [before, outsideBefore, residentBefore] = [oldBytes(), outsideBytes(), process.memoryUsage().rss];
  for (let number = 0; number < count; number++) await runSession(number);
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  const [growth, outside] = [oldBytes() - before, outsideBytes() - outsideBefore];
  const hasFailed = growth > maxGrowthBytes || outside > maxOutsideBytes;
  const resident = `resident ${megabytes(residentBefore)} MB, then ${megabytes(process.memoryUsage().rss)} MB, of which ${megabytes(outside)} MB more outside of V8's heap`;
  console.log(
    `session memory: ${hasFailed ? "FAILED" : "passed"}: ${count} sessions, ${megabytes(before)} MB and ${megabytes(growth)} MB more; ${resident}`,
  );
  process.exitCode = hasFailed ? 1 : 0;
} finally {
  fs.rmSync(directory, { recursive: true, force: true });
}
