// Sessions for a long time: [count] of them one after another in one process (SOK-12), each with a
// connection and a message, while descriptors, files, listeners and memory must stay as they were; then
// 200 processes that are killed while they start sessions (SOK-10), after which one start cleans up.
//   node packages/wire/test/soak/sessions.soak.ts [count, 10000 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { countDescriptors } from "../../../../test/kit/processes.ts";
import { killWhileStarting, makeAllOld } from "../socket/killed-sessions.ts";
import { askOnce, namesIn, startSession } from "../socket/sockets.ts";

const count = Number(process.argv[2] ?? 10_000);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: sessions.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}
const kills = 200;
const warmUp = 1_500;
const maxGrowthBytes = 10 * 1024 * 1024;
const directory = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
setFlagsFromString("--expose-gc");
// V8 takes more and more room for young objects as long as there is; that is no leak, and would hide one.
setFlagsFromString("--semi-space-growth-factor=1");
const collectGarbage = runInNewContext("gc") as () => void;

interface Sample {
  readonly descriptors: number;
  readonly entries: number;
  readonly listeners: number;
  readonly rss: number;
}

function takeSample(): Sample {
  collectGarbage();
  return {
    descriptors: countDescriptors(),
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

async function runSession(number: number): Promise<void> {
  const { listener } = await startSession(namesIn(directory), { schema: `{"number":${number}}` });
  const answer = await askOnce(listener.path, `message ${number}`);
  await listener.close();
  if (answer !== `message ${number}`) throw new Error(`session ${number} answered ${JSON.stringify(answer)}`);
}

/** How much memory grew over the samples, as the line that fits them best has it. */
function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let product = 0;
  let square = 0;
  for (const [index, value] of values.entries()) {
    product += (index - middle) * (value - mean);
    square += (index - middle) ** 2;
  }
  return square === 0 ? 0 : (product / square) * (values.length - 1);
}

async function soakSequentialSessions(): Promise<string[]> {
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
  const growth = growthOf(samples.map(({ rss }) => rss));
  const faults = (["descriptors", "entries", "listeners"] as const).flatMap((name) => {
    const values = samples.map((sample) => sample[name]);
    return new Set(values).size === 1 ? [] : [`SOK-12 ${name} changed: ${values.join(" ")}`];
  });
  if (growth > maxGrowthBytes)
    faults.push(`SOK-12 memory grew by ${Math.round(growth / 1e6)} MB: ${samples.map(({ rss }) => Math.round(rss / 1e6)).join(" ")}`);
  return faults;
}

async function soakKilledSessions(): Promise<string[]> {
  const faults: string[] = [];
  for (let killed = 0; killed < kills; killed += 4) {
    await Promise.all([0, 1, 2, 3].map((offset) => killWhileStarting(directory, (killed + offset) / 10)));
    showProgress(`SOK-10 process ${killed + 4} of ${kills}`);
    if ((killed + 4) % 40 === 0) faults.push(...(await cleanUp()));
  }
  return faults;
}

async function cleanUp(): Promise<string[]> {
  const leftovers = makeAllOld(directory);
  const bystander = join(directory, "bystander");
  fs.writeFileSync(bystander, "");
  await runSession(0);
  const left = fs.readdirSync(directory);
  fs.rmSync(bystander, { force: true });
  if (leftovers.length === 0) return ["SOK-10 the killed processes left nothing to remove"];
  return left.join() === "bystander" ? [] : [`SOK-10 of ${leftovers.length} leftovers these stayed: ${left.join(" ")}`];
}

let faults: string[];
try {
  faults = [...(await soakSequentialSessions()), ...(await soakKilledSessions())];
} catch (error) {
  faults = [`stopped: ${(error as Error).stack}`];
} finally {
  fs.rmSync(directory, { recursive: true, force: true });
}
if (process.stdout.isTTY) process.stdout.write("\r\x1b[K");
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const outcome = faults.length === 0 ? "passed" : "FAILED";
const report = [...faults, `sessions soak: ${outcome}: ${count} sessions and ${kills} killed processes in ${seconds} s\n`].join("\n");
// Not by itself: what leaked might keep it from ending.
process.stdout.write(report, () => process.exit(faults.length === 0 ? 0 : 1));
