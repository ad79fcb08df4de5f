// A batch on a fleet beside the same batch on this machine: calls of an API that takes 20 ms, 64 in flight. With a server that syncs every
// write, as `hawser fleet up` runs it. The second case is a large batch, and the most memory that each process ever had.

import { createWriteStream, mkdtempSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFleet, findServer, startServer } from "@hawser/fleet/internal";
import type { PipedChild } from "@hawser/wire/node";
import { peakMegabytes } from "../../test/kit/processes.ts";
import { prepareHawser, startServer as startHawser } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory, readFirstLine, startNode, startProgram } from "../program.ts";
import type { Row, RowContext } from "../row.ts";

const [one, two, local] = ["fleet, one worker", "fleet, two sites", "local batch"];
const inFlight = 64;
const throughputItems = 10_000;
const items = process.argv.includes("--quick") ? 100_000 : 1_000_000;
const pollMs = 200;

export const fleetBatch: Row = {
  name: "Fleet batch",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    // Before the user's cache, which holds it, is put aside.
    const program = await findServer();
    const [, ...hawser] = await prepareHawser(context);
    const folder = createTemporaryDirectory(context);
    const { address, stop } = await startServer({ program, folder: mkdtempSync(join(folder, "server-")), port: 0 });
    context.defer(stop);
    const url = await readFirstLine(await startProgram(context, "http-api", { args: ["20"] }));
    const target = ["--gateway-url", url, "--api-key", "bench"];
    const workers = await Promise.all(["east", "west"].map((site) => startWorker(context, hawser, address, [...target, "--site", site])));
    const few = await writeItems(join(folder, "few.ndjson"), throughputItems, ["east"]);
    const both = await writeItems(join(folder, "both.ndjson"), throughputItems, ["east", "west"]);
    const many = await writeItems(join(folder, "many.ndjson"), items, ["east", "west"]);
    const run = (args: readonly string[], count: number): Promise<Batch> => runBatch([...hawser, "call", "--batch", ...args], count);
    const rate = async (args: readonly string[]): Promise<number[]> => [throughputItems / (await run(args, throughputItems)).seconds];
    return [
      {
        name: "Fleet batch, API that takes 20 ms, 64 in flight",
        work: `${throughputItems} calls`,
        unit: "calls/s",
        ours: one,
        rounds: (usual) => Math.ceil(usual / 5),
        contestants: [
          { name: one, round: () => rate([few, "--fleet", address]) },
          { name: two, round: () => rate([both, "--fleet", address]) },
          { name: local, round: () => rate([few, "--parallel", String(inFlight), ...target]) },
        ],
        targets: [{ peer: local, atLeast: 0.8 }],
      },
      {
        name: "Fleet batch, peak memory of each process",
        work: `${items} calls at two sites`,
        unit: "MB",
        ours: "the larger of sender and workers",
        rounds: () => 1,
        contestants: [
          {
            name: "the larger of sender and workers",
            async round() {
              const { peak } = await run([many, "--fleet", address], items);
              return [Math.max(peak, ...workers.map(({ pid }) => peakMegabytes(pid) ?? 0))];
            },
          },
        ],
        targets: [{ atMost: 256 }],
      },
    ];
  },
};

/** Resolves when its site has a worker: a batch of one item ends. */
async function startWorker(context: RowContext, hawser: readonly string[], address: string, flags: readonly string[]): Promise<PipedChild> {
  const worker = await startHawser(context, [
    process.execPath,
    ...hawser,
    "rpc",
    "--fleet",
    address,
    "--workers",
    String(inFlight),
    ...flags,
  ]);
  const fleet = await connectFleet({ servers: address }, "bench");
  const site = flags.at(-1) ?? "";
  const asked = async (): Promise<boolean> => {
    const reply = await fleet.connection.request(`$JS.API.CONSUMER.INFO.HAWSER_BATCH_ITEMS.site-${site}`, "").catch(() => undefined);
    return ((reply?.json() as { num_waiting?: number } | undefined)?.num_waiting ?? 0) > 0;
  };
  while (!(await asked())) await sleep(pollMs);
  await fleet.close();
  return worker;
}

async function writeItems(path: string, count: number, sites: readonly string[]): Promise<string> {
  const file = createWriteStream(path);
  for (let index = 0; index < count; index++) {
    if (!file.write(`{"id":${index},"path":"/things/${index}","site":"${sites[index % sites.length]}"}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
  return path;
}

interface Batch {
  readonly seconds: number;
  readonly peak: number;
}

async function runBatch(args: readonly string[], count: number): Promise<Batch> {
  const startedAt = performance.now();
  const child = await startNode(args);
  let lines = 0;
  let peak = 0;
  const look = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid) ?? 0)), pollMs);
  child.stdout.on("data", (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  const { code } = await child.exited;
  clearInterval(look);
  if (code !== 0 || lines !== count) throw new Error(`a batch of ${count} items ended with ${lines} lines and code ${code}`);
  return { seconds: (performance.now() - startedAt) / 1e3, peak };
}
