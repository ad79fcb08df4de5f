// Calls of an HTTP API through rpc, beside a loop with the same HTTP client in the host itself. A loop
// saves two pipes and a process; the bare rpc server shows what these two cost when nothing else is done.
// Throughput is that of a host which keeps the queue full; latency that of one which waits for a worker.

import { timeOf, type Contestant } from "../measure.ts";
import { createBareCaller } from "../peers/bare-caller.ts";
import { createRpcClient, findIgw, prepareHawser, startServer, type RpcClient } from "../peers/rpc-servers.ts";
import { readFirstLine, startProgram } from "../program.ts";
import type { Case, Row, RowContext, Target } from "../row.ts";

const ours = "hawser rpc";
const loop = "undici in the host";
const bare = "bare rpc server (bound)";
const original = "igw rpc";

const hellos = 2_000;

export const rpcHello: Row = {
  name: "RPC hello",
  async prepare(context) {
    const clients = await startClients(context, "http://127.0.0.1:9", 1);
    return [
      {
        name: "RPC hello",
        work: `${hellos} requests, one at a time`,
        unit: "messages/s",
        ours,
        contestants: clients
          .filter(({ name }) => name !== bare)
          .map(({ name, client }) => ({
            name,
            round: async () => [(hellos / (await timeOf(() => greet(client)))) * 1e3],
          })),
        targets: toIgwTargets({ atLeast: 1 }),
      },
    ];
  },
};

async function greet(client: RpcClient): Promise<void> {
  for (let index = 0; index < hellos; index++) await client.request("hello");
}

const calls = 500;
/** What we must reach of the original's calls, by the number of workers. */
const shares = new Map([
  [1, 1],
  [16, 1.1],
  [64, 1.2],
]);

export const rpcCalls: Row = {
  name: "RPC calls",
  async prepare(context) {
    const url = await readFirstLine(await startProgram(context, "http-api"));
    const cases: Case[] = [];
    for (const [workers, atLeast] of shares) cases.push(...(await casesFor(context, url, workers, { atLeast })));
    return cases;
  },
};

/** A round of calls through our own server with so many workers. */
export async function callsPerSecond(context: RowContext, workers: number): Promise<Contestant["round"]> {
  const url = await readFirstLine(await startProgram(context, "http-api"));
  const [first] = await startClients(context, url, workers);
  const call = callThrough((first as NamedClient).client);
  return async () => [(calls / (await timeOf(() => keepInFlight(call, calls)))) * 1e3];
}

type Call = (path: string) => Promise<string>;

async function casesFor(context: RowContext, url: string, workers: number, target: Target): Promise<Case[]> {
  const clients = await startClients(context, url, workers);
  const contenders: { name: string; call: Call; inFlight: number }[] = [
    ...clients.map(({ name, client }) => ({ name, call: callThrough(client), inFlight: calls })),
    { name: loop, call: createBareCaller(url, workers), inFlight: workers },
  ];
  const toContestant = (name: string, round: Contestant["round"]): Contestant => ({ name, round });
  return [
    {
      name: `RPC calls, ${workers} ${workers === 1 ? "worker" : "workers"}`,
      work: `${calls} calls`,
      unit: "calls/s",
      ours,
      contestants: contenders.map(({ name, call, inFlight }) =>
        toContestant(name, async () => [(calls / (await timeOf(() => keepInFlight(call, inFlight)))) * 1e3]),
      ),
      targets: toIgwTargets(target),
    },
    {
      name: `RPC call, ${workers} in flight`,
      work: `${calls} calls`,
      unit: "ms",
      ours,
      contestants: contenders.map(({ name, call }) => toContestant(name, () => timeEach(call, workers))),
      targets: [],
    },
  ];
}

interface NamedClient {
  readonly name: string;
  readonly client: RpcClient;
}

async function startClients(context: RowContext, url: string, workers: number): Promise<NamedClient[]> {
  const flags = ["rpc", "--gateway-url", url, "--api-key", "bench", "--workers", String(workers), "--queue-size", "1000"];
  const igw = findIgw();
  const clients = [
    { name: ours, client: createRpcClient(await startServer(context, [...(await prepareHawser(context)), ...flags])) },
    { name: bare, client: createRpcClient(await startProgram(context, "rpc-bare", { args: [url, String(workers)] })) },
  ];
  return igw === undefined
    ? clients
    : [...clients, { name: original, client: createRpcClient(await startServer(context, [igw, ...flags])) }];
}

const toIgwTargets = (target: Target): Target[] => (findIgw() === undefined ? [] : [{ ...target, peer: original }]);

const callThrough =
  (client: RpcClient): Call =>
  async (path) =>
    (await client.request("call", { method: "GET", path })).data?.response?.body ?? "";

/** An answer that belongs to another call is no answer. */
async function checkedCall(call: Call, index: number): Promise<void> {
  const path = `/things/${index}`;
  if ((await call(path)) !== `{"path":"${path}"}`) throw new Error("a call came back with another answer");
}

/** Loops that share one counter: each makes its next call when its last one is back. */
async function keepInFlight(call: Call, inFlight: number): Promise<void> {
  let next = 0;
  await all(inFlight, async () => {
    while (next < calls) await checkedCall(call, next++);
  });
}

async function timeEach(call: Call, inFlight: number): Promise<number[]> {
  const samples: number[] = [];
  await keepInFlight(async (path) => {
    const startedAt = performance.now();
    const body = await call(path);
    samples.push(performance.now() - startedAt);
    return body;
  }, inFlight);
  return samples;
}

const all = async (count: number, work: () => Promise<void>): Promise<void> =>
  void (await Promise.all(Array.from({ length: count }, work)));
