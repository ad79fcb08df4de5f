// Sessions for a long time, as programs use them (SOK-12): [count] times a session is started, an MCP
// client's bridge process is spawned by its configuration, three tools are called through it, and both
// are stopped. Afterwards descriptors, processes, files and listeners are as they were, and memory did
// not grow.
//   node --conditions=hawser-source packages/bridge/test/soak/sessions.soak.ts [count, 300 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defineTool } from "@hawser/tools";
import type { Incoming } from "@hawser/wire";
import { ndjson, startChild, type Child } from "@hawser/wire/node";
import { createIPCSession, type McpStdioServerConfig } from "../../src/parent/session.ts";

const count = Number(process.argv[2] ?? 300);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: sessions.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}
const warmUp = Math.min(30, Math.ceil(count / 2));
const callsEach = 3;
const maxGrowthBytes = 12 * 1024 * 1024;
const root = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
const directory = join(root, "t");
fs.mkdirSync(directory);
setFlagsFromString("--expose-gc");
// V8 takes more and more room for young objects while there is any; that isn't a leak, and would hide one.
setFlagsFromString("--semi-space-growth-factor=1");
const collectGarbage = runInNewContext("gc") as () => void;

const counted = ["descriptors", "processes", "entries", "listeners"] as const;
type Sample = Record<(typeof counted)[number] | "rss", number>;

function takeSample(): Sample {
  collectGarbage();
  return {
    descriptors: fs.readdirSync("/proc/self/fd").length,
    processes: fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").length - 1,
    entries: fs.readdirSync(directory).length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    rss: process.memoryUsage.rss(),
  };
}

const startedAt = performance.now();
let shownAt = startedAt;
function showProgress(text: string): void {
  if (!process.stdout.isTTY || performance.now() - shownAt < 1_000) return;
  shownAt = performance.now();
  process.stdout.write(`\r${text}, ${Math.round((shownAt - startedAt) / 1_000)} s\x1b[K`);
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly structuredContent?: unknown };
}

/** An MCP client of the smallest kind: a request, and the answer of its id. */
interface Client extends Child {
  ask(id: number, method: string, params: object): Promise<Answer>;
}

async function startClient({ command, args, env }: McpStdioServerConfig): Promise<Client> {
  const child = await startChild({
    command,
    args,
    env: { ...process.env, ...env, TMPDIR: directory, XDG_CACHE_HOME: join(root, "c") },
    codec: ndjson,
    // It ends by itself, on a busy machine too.
    stopInputMs: 30_000,
  });
  const answers = child.transport.incoming[Symbol.asyncIterator]();
  return {
    ...child,
    async ask(id, method, params) {
      await child.transport.send({ jsonrpc: "2.0", id, method, params });
      for (;;) {
        const { value, done } = (await answers.next()) as IteratorResult<Incoming, undefined>;
        if (done) throw new Error(`the bridge ended before it answered ${method}`);
        const answer = (value.kind === "message" ? value.value : {}) as Answer;
        if (answer.id === id) return answer;
      }
    },
  };
}

async function runSession(number: number): Promise<void> {
  let calls = 0;
  const tool = defineTool({ name: "count", description: "", input: { type: "object" }, run: ({ n }) => ({ number, n, calls: ++calls }) });
  await using session = createIPCSession([tool], { directory });
  await session.start();
  const client = await startClient(session.mcpServerConfig);
  try {
    await makeCalls(client, number);
  } finally {
    await client.stop();
  }
  const { code } = await client.exited;
  if (code !== 0) throw new Error(`session ${number}: the bridge ended with ${code}`);
}

async function makeCalls(client: Client, number: number): Promise<void> {
  const clientInfo = { name: "soak", version: "1" };
  await client.ask(0, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await client.transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  for (let n = 1; n <= callsEach; n++) {
    const { result } = await client.ask(n, "tools/call", { name: "count", arguments: { n } });
    const [seen, expected] = [JSON.stringify(result?.structuredContent), JSON.stringify({ number, n, calls: n })];
    if (seen !== expected) throw new Error(`session ${number}, call ${n}: ${JSON.stringify(result)} in place of ${expected}`);
  }
}

/** How much memory grew over the samples, as the line that fits them best has it. */
function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [product, square] = [0, 0];
  for (const [index, value] of values.entries()) {
    product += (index - middle) * (value - mean);
    square += (index - middle) ** 2;
  }
  return square === 0 ? 0 : (product / square) * (values.length - 1);
}

async function soak(): Promise<string[]> {
  for (let number = 0; number < warmUp; number++) {
    await runSession(number);
    showProgress("SOK-12 warming up");
  }
  const samples = [takeSample()];
  for (let number = 0; number < count; number++) {
    await runSession(number);
    if ((number + 1) % Math.ceil(count / 20) === 0) samples.push(takeSample());
    showProgress(`SOK-12 session ${number + 1} of ${count}`);
  }
  samples.push(takeSample());
  const faults = counted.flatMap((name) => {
    const values = samples.map((sample) => sample[name]);
    return new Set(values).size === 1 ? [] : [`SOK-12 ${name} changed: ${values.join(" ")}`];
  });
  if (samples[0]?.entries !== 0) faults.push(`SOK-12 left behind: ${fs.readdirSync(directory).join(" ")}`);
  const growth = growthOf(samples.map(({ rss }) => rss));
  const sizes = samples.map(({ rss }) => Math.round(rss / 1e6)).join(" ");
  if (growth > maxGrowthBytes) faults.push(`SOK-12 memory grew by ${Math.round(growth / 1e6)} MB: ${sizes}`);
  return faults;
}

let faults: string[];
try {
  faults = await soak();
} catch (error) {
  faults = [`stopped: ${(error as Error).stack}`];
} finally {
  fs.rmSync(root, { recursive: true, force: true });
}
if (process.stdout.isTTY) process.stdout.write("\r\x1b[K");
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const outcome = faults.length === 0 ? "passed" : "FAILED";
const report = [...faults, `bridge sessions soak: ${outcome}: ${count} sessions with ${count * callsEach} calls in ${seconds} s\n`].join(
  "\n",
);
// Not by itself: what leaked might keep it from ending.
process.stdout.write(report, () => process.exit(faults.length === 0 ? 0 : 1));
