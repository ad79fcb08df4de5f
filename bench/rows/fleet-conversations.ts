// A thousand conversations of a fleet: four runtimes with the offline model, one host that says something in all of them at once and
// waits for all answers, and a server that syncs every write. And the most memory that each of these processes ever had.

import { createInterface } from "node:readline";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectFleet, findServer, findServices, startServer } from "@hawser/fleet/internal";
import type { PipedChild } from "@hawser/wire/node";
import { peakMegabytes } from "../../test/kit/processes.ts";
import { prepareHawser } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory, startNode } from "../program.ts";
import type { Row, RowContext } from "../row.ts";

const ours = "four runtimes, one host";
const conversations = 1_000;
const runtimeCount = 4;
const pollMs = 200;

export const fleetConversations: Row = {
  name: "Fleet conversations",
  platforms: ["linux"], // needs /proc
  async prepare(context) {
    const program = await findServer();
    const [, ...hawser] = await prepareHawser(context);
    const folder = createTemporaryDirectory(context);
    const { address, stop } = await startServer({ program, folder: mkdtempSync(join(folder, "server-")), port: 0 });
    context.defer(stop);
    const flags = ["--fleet", address, "--model", "offline", "--root", folder, "--no-undo"];
    const runtimes = await Promise.all(
      Array.from({ length: runtimeCount }, (_, index) =>
        startRuntime(context, [...hawser, "agent", ...flags, "--data-dir", join(folder, `${index}`)]),
      ),
    );
    await untilServed(address);
    const { child: host, say } = await startHost(context, [...hawser, "fleet", "host", "--fleet", address]);
    const everyone = { runtimes, host };
    return [
      {
        name: "Conversations of a fleet, all at the same time",
        work: `a message in each of ${conversations}, until all are answered`,
        unit: "messages/s",
        ours,
        rounds: (usual) => Math.ceil(usual / 5),
        contestants: [
          {
            name: ours,
            async round() {
              const from = performance.now();
              await Promise.all(Array.from({ length: conversations }, (_, index) => say(`c${index}`)));
              return [conversations / ((performance.now() - from) / 1e3)];
            },
          },
        ],
        targets: [],
      },
      {
        name: "Conversations of a fleet, peak memory",
        work: `after a message in each of ${conversations}`,
        unit: "MB",
        ours: "the largest runtime",
        rounds: () => 1,
        contestants: [
          { name: "the largest runtime", round: async () => [Math.max(...everyone.runtimes.map(({ pid }) => peakMegabytes(pid) ?? 0))] },
          { name: "the host", round: async () => [peakMegabytes(everyone.host.pid) ?? 0] },
        ],
        targets: [{ atMost: 256 }],
      },
    ];
  },
};

async function startRuntime(context: RowContext, args: readonly string[]): Promise<PipedChild> {
  const child = await startNode(args);
  context.defer(async () => void (await child.stop()));
  child.stdout.resume();
  return child;
}

/** Resolves when all runtimes answer. */
async function untilServed(servers: string): Promise<void> {
  const fleet = await connectFleet({ servers }, "bench");
  while ((await findServices(fleet)).length < runtimeCount) await sleep(pollMs);
  await fleet.close();
}

/** `say` resolves with the end of the turn. */
async function startHost(context: RowContext, args: readonly string[]) {
  const child = await startNode(args);
  context.defer(async () => void (await child.stop()));
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const { id, type, error } = JSON.parse(text) as { id?: string; type: string; error?: string };
    if (type === "ready") ready.resolve();
    const turn = waiting.get(id ?? "");
    if (type === "done") turn?.resolve();
    if (type === "error") turn?.reject(new Error(error));
  });
  await ready.promise;
  return {
    child,
    async say(conversationId: string): Promise<void> {
      const id = crypto.randomUUID();
      const turn = Promise.withResolvers<void>();
      waiting.set(id, turn);
      child.stdin.write(`${JSON.stringify({ id, kind: "user_message", message: "what is 12 * 34?", metadata: { conversationId } })}\n`);
      await turn.promise;
      waiting.delete(id);
    },
  };
}
