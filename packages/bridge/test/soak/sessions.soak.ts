// Sessions for a long time, as programs use them (SOK-12): [count] times a session is started, an MCP
// client's bridge process is spawned by its configuration, three tools are called through it, and both
// are stopped. Afterwards descriptors, processes, files and listeners are as they were, and memory did
// not grow.
//   node --conditions=hawser-source packages/bridge/test/soak/sessions.soak.ts [count, 300 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@hawser/tools";
import type { Incoming } from "@hawser/wire";
import { ndjson, startChild, type Child } from "@hawser/wire/node";
import { readCount, runAndReport, soakSessions } from "../../../../test/kit/session-soak.ts";
import { createIPCSession, type McpStdioServerConfig } from "../../src/parent/session.ts";
import { bundledBridge } from "../process/raw-parent.ts";

const count = readCount(300);
const callsEach = 3;
const root = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
const directory = join(root, "t");
fs.mkdirSync(directory);

const countHeld = () => ({
  descriptors: fs.readdirSync("/proc/self/fd").length,
  processes: fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").length - 1,
  entries: fs.readdirSync(directory).length,
});

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
  await using session = createIPCSession([tool], { directory, bridgeCommand: [process.execPath, bundledBridge] });
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

await runAndReport({
  async soak(showProgress) {
    const warmUp = Math.min(30, Math.ceil(count / 2));
    const faults = await soakSessions({ count, warmUp, maxGrowthBytes: 12 * 1024 * 1024, countHeld, runSession, showProgress });
    const left = fs.readdirSync(directory);
    return left.length === 0 ? faults : [...faults, `SOK-12 left behind: ${left.join(" ")}`];
  },
  cleanUp: () => fs.rmSync(root, { recursive: true, force: true }),
  name: "bridge sessions soak",
  done: `${count} sessions with ${count * callsEach} calls`,
});
