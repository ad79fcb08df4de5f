// Batches under random faults, with real processes: workers that are killed or stopped and go on too late, senders that are killed and
// read by others, a server that is killed and comes back. A model over what the API has seen and what was printed: every item that was sent
// has one line, no POST arrived twice, one with a good result arrived, and one that was cancelled or lost is told as such.
//   node --conditions=hawser-source packages/fleet/test/soak/batch.soak.ts [faults, 40 unless given]

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answer, startApiStub } from "../../../../test/kit/api-stub.ts";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { bundlesOfSite, consumerGroup, consumerName, itemStream } from "../../src/batch/batch-names.ts";
import { openBatchStreams } from "../../src/batch/batch-streams.ts";
import { connectFleet } from "../../src/connect.ts";
import { findServer } from "../../src/server/find-server.ts";
import { startServer } from "../../src/server/start-server.ts";

const faults = Number(process.argv[2] ?? 40);
if (!Number.isSafeInteger(faults) || faults < 1) {
  console.error("usage: batch.soak.ts [faults], a whole number of at least 1");
  process.exit(2);
}
const [site, perBatch, lostMs] = ["soak", 1_500, 1_500];
const random = (count: number): number => Math.floor(Math.random() * count);

const arrived = new Map<string, number>();
const api = await startApiStub(async ({ method, target }, response) => {
  arrived.set(`${method} ${target}`, (arrived.get(`${method} ${target}`) ?? 0) + 1);
  await sleep(random(20));
  answer(response, 200, {});
});
const program = await findServer();
const folder = mkdtempSync(join(tmpdir(), "hawser-batch-soak-"));
let server = await startServer({ program, folder, port: 0 });
const { address } = server;
const fleet = await connectFleet({ servers: address }, "soak");
const { manager } = await openBatchStreams(fleet);
// Workers are taken for lost sooner than usual.
await manager.consumers.add(itemStream, {
  durable_name: consumerName(site),
  filter_subject: bundlesOfSite(site),
  ack_policy: "explicit",
  ack_wait: lostMs * 1e6,
  priority_groups: [consumerGroup],
  priority_policy: "pinned_client",
  priority_timeout: lostMs * 1e6,
});

function start(args: readonly string[]): ChildProcess {
  const env = { ...process.env, XDG_CONFIG_HOME: folder, IGNITION_GATEWAY_URL: api.url, IGNITION_API_TOKEN: "soak" };
  return spawn(process.execPath, [builtHawser, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
}

const workers: ChildProcess[] = [];
function addWorker(): void {
  const worker = start(["rpc", "--fleet", address, "--site", site, "--workers", "16", "--timeout", "60s"]);
  worker.stderr?.resume();
  worker.stdout?.resume();
  workers.push(worker);
}

interface Line {
  readonly id: number;
  readonly ok: boolean;
  readonly errorInfo?: { readonly kind: string };
}

/** Reads what a sender or reader prints; resolves at its end. */
async function collect(child: ChildProcess, lines: Line[]): Promise<{ code: number | null; batch: string }> {
  let [rest, told] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) lines.push(JSON.parse(part) as Line);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (told += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, batch: /batch ([0-9a-f]{16})/.exec(told)?.[1] ?? "" };
}

const isPost = (id: number): boolean => id % 2 === 0;
let made = 0;
const kinds = { ok: 0, unknown: 0 };

/** One fault of a random kind; says whether it was the sender that was killed. */
async function disturb(sender: ChildProcess): Promise<boolean> {
  made += 1;
  const kind = random(10);
  const [victim] = workers;
  if (kind === 0) {
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    server = await startServer({ program, folder, port: Number(new URL(address).port) });
  } else if (kind < 3) return sender.kill("SIGKILL");
  else if (kind < 6 && victim?.pid !== undefined) {
    victim.kill("SIGSTOP");
    await sleep(lostMs * 2);
    victim.kill("SIGCONT");
  } else {
    workers.shift()?.kill("SIGKILL");
    addWorker();
  }
  return false;
}

async function runBatch(number: number): Promise<void> {
  const lines: Line[] = [];
  let sender = start(["call", "--batch", "-", "--fleet", address, "--site", site, "--yes"]);
  let ending = collect(sender, lines);
  const items = Array.from({ length: perBatch }, (_, id) => ({ id, path: `/${number}/${id}`, ...(isPost(id) && { method: "POST" }) }));
  sender.stdin?.end(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  let isOver = false;
  void ending.then(() => (isOver = true));
  for (let fault = 0; fault < 3 && made < faults && !isOver; fault++) {
    await sleep(600 + random(600));
    if (isOver || !(await disturb(sender))) continue;
    const { batch } = await ending;
    if (batch === "") return;
    sender = start(["call", "--fleet", address, "--attach", batch, "--after", String(lines.length)]);
    ending = collect(sender, lines);
  }
  const { code } = await ending;
  if (code !== 0 && code !== 7) throw new Error(`batch ${number} ended with code ${code}`);
  check(number, lines);
}

function check(number: number, lines: readonly Line[]): void {
  const seen = new Map<number, Line>();
  for (const line of lines) {
    if (seen.has(line.id)) throw new Error(`batch ${number}: item ${line.id} has two lines`);
    seen.set(line.id, line);
  }
  if (seen.size !== perBatch) throw new Error(`batch ${number}: ${seen.size} of ${perBatch} items have a line`);
  for (const { id, ok, errorInfo } of seen.values()) {
    const count = arrived.get(`${isPost(id) ? "POST" : "GET"} /${number}/${id}`) ?? 0;
    if (isPost(id) && count > 1) throw new Error(`batch ${number}: POST ${id} arrived ${count} times`);
    if (ok && count === 0) throw new Error(`batch ${number}: item ${id} has a result and never arrived`);
    if (!ok && errorInfo?.kind !== "unknown_outcome") throw new Error(`batch ${number}: item ${id} ended as ${errorInfo?.kind}`);
    kinds[ok ? "ok" : "unknown"] += 1;
  }
}

const startedAt = performance.now();
try {
  addWorker();
  addWorker();
  let batches = 0;
  for (; made < faults; batches++) await runBatch(batches);
  const seconds = Math.round((performance.now() - startedAt) / 1e3);
  console.log(`${batches} batches, ${made} faults, ${kinds.ok} results, ${kinds.unknown} unknown outcomes, no POST twice, ${seconds} s`);
} finally {
  for (const worker of workers) worker.kill("SIGKILL");
  await fleet.close();
  await server.stop();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
