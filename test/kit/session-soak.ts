// What the long tests of sessions share (SOK-12): many sessions one after another in this process, while what it holds must stay as it
// was and memory must not grow; progress on a terminal; and a report that ends the process, whatever was left running.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

interface SessionSoakOptions {
  readonly count: number;
  readonly warmUp: number;
  readonly maxGrowthBytes: number;
  /** What must be the same after every session, by name. Listeners of the process are counted besides. */
  countHeld(): Readonly<Record<string, number>>;
  runSession(number: number): Promise<void>;
  showProgress(text: string): void;
}

/** The number that the command line gives, or ends the process. */
export function readCount(usual: number): number {
  const count = Number(process.argv[2] ?? usual);
  if (!Number.isSafeInteger(count) || count < 1) {
    console.error("usage: sessions.soak.ts [count], a whole number of at least 1");
    process.exit(2);
  }
  return count;
}

setFlagsFromString("--expose-gc");
// V8 takes more and more room for young objects as long as there is any; that isn't a leak, and would hide one.
setFlagsFromString("--semi-space-growth-factor=1");
const collectGarbage = runInNewContext("gc") as () => void;

/** What changed or grew, in sentences; empty: nothing did. */
export async function soakSessions({
  count,
  warmUp,
  maxGrowthBytes,
  countHeld,
  runSession,
  showProgress,
}: SessionSoakOptions): Promise<string[]> {
  function takeSample() {
    collectGarbage();
    const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    return { counted: { ...countHeld(), listeners } as Readonly<Record<string, number>>, rss: process.memoryUsage.rss() };
  }
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
  const faults = Object.keys(samples[0]?.counted ?? {}).flatMap((name) => {
    const values = samples.map(({ counted }) => counted[name]);
    return new Set(values).size === 1 ? [] : [`SOK-12 ${name} changed: ${values.join(" ")}`];
  });
  const growth = growthOf(samples.map(({ rss }) => rss));
  const sizes = samples.map(({ rss }) => Math.round(rss / 1e6)).join(" ");
  return growth > maxGrowthBytes ? [...faults, `SOK-12 memory grew by ${Math.round(growth / 1e6)} MB: ${sizes}`] : faults;
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

interface ReportOptions {
  /** Its faults; what it throws is one. */
  soak(showProgress: (text: string) => void): Promise<readonly string[]>;
  cleanUp(): void;
  readonly name: string;
  readonly done: string;
}

/** Prints the faults and one line, and ends the process. */
export async function runAndReport({ soak, cleanUp, name, done }: ReportOptions): Promise<void> {
  const startedAt = performance.now();
  let shownAt = startedAt;
  function showProgress(text: string): void {
    if (!process.stdout.isTTY || performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    process.stdout.write(`\r${text}, ${Math.round((shownAt - startedAt) / 1_000)} s\x1b[K`);
  }
  let faults: readonly string[];
  try {
    faults = await soak(showProgress);
  } catch (error) {
    faults = [`stopped: ${(error as Error).stack}`];
  } finally {
    cleanUp();
  }
  if (process.stdout.isTTY) process.stdout.write("\r\x1b[K");
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const outcome = faults.length === 0 ? "passed" : "FAILED";
  const report = [...faults, `${name}: ${outcome}: ${done} in ${seconds} s\n`].join("\n");
  // Not by itself: what leaked might keep it from ending.
  process.stdout.write(report, () => process.exit(faults.length === 0 ? 0 : 1));
}
