// RPC-01 in full: [count] calls through a real rpc process with 1, 8 and 64 workers each, to a loopback API
// that answers after random times with the nonce it was asked for. Every id is answered once, with its own
// nonce, and the memory of the process stays flat and below 256 MB (G10).
//   node --conditions=hawser-source packages/gateway/test/soak/rpc.soak.ts [count, 100000 unless given]

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ndjson, startChild } from "@hawser/wire/node";
import { answer, startApiStub } from "../../../../test/kit/api-stub.ts";

const count = Number(process.argv[2] ?? 100_000);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: rpc.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}
const program = fileURLToPath(new URL("../fixtures/rpc-stdio.ts", import.meta.url));
const maxGrowthMegabytes = 96;
const maxPeakMegabytes = 256;

const megabytesOf = (pid: number, what: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

interface Answer {
  readonly id: number;
  readonly ok: boolean;
  readonly error?: string;
  readonly data?: { readonly response?: { readonly body: string } };
}

async function soak(workers: number, url: string): Promise<string> {
  const args = ["--conditions=hawser-source", program, "--workers", String(workers), "--gateway-url", url];
  const child = await startChild({ command: process.execPath, args, codec: ndjson });
  const startedAt = performance.now();
  const seen = new Uint8Array(count);
  let answered = 0;
  let early = 0;
  const sending = (async () => {
    for (let id = 0; id < count; id++) await child.transport.send({ id, op: "call", args: { path: `/nonce-${id}` } });
  })();
  for await (const item of child.transport.incoming) {
    if (item.kind === "refused") throw item.error;
    const { id, ok, error, data } = item.value as Answer;
    if (!ok || data?.response?.body !== `/nonce-${id}`)
      throw new Error(`workers ${workers}: call ${id} got ${error ?? data?.response?.body}`);
    seen[id] = (seen[id] ?? 0) + 1;
    if (++answered === Math.ceil(count / 4)) early = megabytesOf(child.pid, "VmRSS");
    if (answered === count) break;
  }
  await sending;
  const growth = megabytesOf(child.pid, "VmRSS") - early;
  const peak = megabytesOf(child.pid, "VmHWM");
  await child.stop();
  if (seen.some((times) => times !== 1)) throw new Error(`workers ${workers}: some ids were not answered exactly once`);
  if (growth > maxGrowthMegabytes) throw new Error(`workers ${workers}: memory grew by ${Math.round(growth)} MB`);
  if (peak > maxPeakMegabytes) throw new Error(`workers ${workers}: memory came to ${Math.round(peak)} MB`);
  const perSecond = Math.round(count / ((performance.now() - startedAt) / 1_000));
  return `${workers} workers ${perSecond} calls/s`;
}

const stub = await startApiStub((request, response) => {
  if (Math.random() < 0.9) return answer(response, 200, request.target);
  setTimeout(() => answer(response, 200, request.target), Math.random() * 4);
});
// It remembers every request for tests that look at them; here that would only be a leak of our own.
const forget = setInterval(() => void ((stub.requests as unknown[]).length = 0), 100);
try {
  const results: string[] = [];
  for (const workers of [1, 8, 64]) results.push(await soak(workers, stub.url));
  console.log(`rpc: passed, ${count} calls each: ${results.join(", ")}`);
} catch (error) {
  console.log(`rpc: FAILED: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  clearInterval(forget);
  await stub.close();
}
