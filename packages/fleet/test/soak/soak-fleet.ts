// The processes of the long test of a fleet: a server that can be killed and started again, runtimes with a tool that writes down each of
// its runs, and hosts whose every line is kept. What dies is replaced. Each has a way of its own to the server, which can be cut.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { builtHawser } from "../../../../test/kit/built-hawser.ts";
import { connectFleet, type Fleet } from "../../src/connect.ts";
import { findServer } from "../../src/server/find-server.ts";
import { startServer, type FleetServer } from "../../src/server/start-server.ts";
import { readReport } from "../../src/server/server-report.ts";
import { makeLeaseBucket } from "../stream-settings.ts";
import { startRelay, type Relay } from "./relay.ts";

type Program = ChildProcessByStdio<Writable, Readable, Readable>;
export type Line = Record<string, unknown> & { id?: string; type?: string };

export interface SoakHost {
  readonly child: Program;
  readonly isGone: boolean;
  readonly way: Relay;
  /** Reads nothing of what it says until it is told to go on. */
  leaveUnread(): void;
  readOn(): void;
  /** Everything that was said under this id. */
  linesOf(id: string): readonly Line[];
  /** The end of a request, or undefined when the host has died before. */
  ask(request: Record<string, unknown> & { id: string }): Promise<Line | undefined>;
}

export interface SoakRuntime {
  readonly child: Program;
  readonly isGone: boolean;
  readonly way: Relay;
}

const leaseMs = 2_000;
/** Small, so that messages are over it, and come in parts. */
const maxPayload = 262_144;
/** A server that gives up early on a connection that can't keep up. */
const settings = [`authorization { user: soak, password: harbour }`, `max_pending: 12MB`, `write_deadline: "1s"`].join("\n");
const endings: ReadonlySet<unknown> = new Set(["done", "error", "status"]);
export const isEnd = ({ type }: Line): boolean => endings.has(type);

export async function openSoakFleet(root: string, onProblem: (problem: string) => void) {
  const folder = join(root, "server");
  mkdirSync(folder);
  const program = await findServer();
  const ledger = join(root, "ledger");
  writeFileSync(ledger, "");
  writeFileSync(join(root, "weld.mjs"), toolModule(ledger));
  writeFileSync(join(root, "agent.json"), JSON.stringify({ permissions: [{ tool: "weld", decision: "allow" }] }));
  const [credentials, wrong] = ["right", "wrong"].map((name) => join(root, name)) as [string, string];
  writeFileSync(credentials, "soak:harbour\n", { mode: 0o600 });
  writeFileSync(wrong, "soak:mast\n", { mode: 0o600 });
  const options = { program, folder, maxPayload, more: settings };
  let server: FleetServer = await startServer({ ...options, port: 0 });
  const { address } = server;
  const fleet: Fleet = await connectFleet({ servers: address, credentials }, "soak");
  await makeLeaseBucket(fleet, leaseMs);
  const children = new Set<Program>();
  const ways = new Set<Relay>();
  let made = 0;
  let slowConsumers = 0;

  function start(args: readonly string[]): Program {
    const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: join(root, "config"), OLLAMA_HOST: "http://127.0.0.1:1" };
    const child = spawn(process.execPath, [builtHawser, ...args], { stdio: ["pipe", "pipe", "pipe"], env });
    children.add(child);
    child.once("close", () => children.delete(child));
    child.stdin.on("error", () => {});
    return child;
  }

  async function openWay(): Promise<Relay> {
    const way = await startRelay(address);
    ways.add(way);
    return way;
  }

  function closeWay(way: Relay): void {
    way.close();
    ways.delete(way);
  }

  /** Of the server that runs; it begins to count anew when it is started again. */
  async function countSlow(): Promise<number> {
    const report = await readReport(server.monitor, "/varz").catch(() => undefined);
    return Number(report?.["slow_consumers"] ?? 0);
  }

  return {
    fleet,
    ways: ways as ReadonlySet<Relay>,
    maxPayload,
    /** Connections that the server has given up since they did not keep up. */
    slowConsumers: async (): Promise<number> => slowConsumers + (await countSlow()),
    /** What a host says whom the server does not know. */
    async stranger(): Promise<{ code: number | null; stderr: string }> {
      const child = start(["fleet", "host", "--fleet", address, "--fleet-credentials", wrong]);
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.stdout.resume();
      const [code] = (await once(child, "close")) as [number | null];
      return { code, stderr };
    },
    get server(): FleetServer {
      return server;
    },
    /** Killed, and started again at the same address with what it had on its disk. */
    async restartServer(): Promise<void> {
      slowConsumers += await countSlow();
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      server = await startServer({ ...options, port: Number(new URL(address).port) });
    },
    async runtime(): Promise<SoakRuntime> {
      const data = join(root, `data-${++made}`);
      const flags = ["--model", "offline", "--root", root, "--tools", join(root, "weld.mjs"), "--config", join(root, "agent.json")];
      const way = await openWay();
      const place = ["--fleet", way.address, "--fleet-credentials", credentials];
      const child = start(["agent", ...place, ...flags, "--data-dir", data, "--no-undo"]);
      const state = { child, isGone: false, way };
      child.stdout.resume();
      const ready = Promise.withResolvers<void>();
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (line.includes("serves conversations")) ready.resolve();
        if (/damaged|could not be read|Error:|unhandled/i.test(line)) onProblem(`a runtime says: ${line}`);
      });
      child.once("close", () => {
        state.isGone = true;
        closeWay(way);
        ready.resolve();
      });
      await ready.promise;
      return state;
    },
    async host(): Promise<SoakHost> {
      const way = await openWay();
      const child = start(["fleet", "host", "--fleet", way.address, "--fleet-credentials", credentials]);
      const lines = new Map<string, Line[]>();
      const waiting = new Map<string, (end: Line | undefined) => void>();
      const ready = Promise.withResolvers<void>();
      child.stderr.resume();
      const reader = createInterface({ input: child.stdout }).on("line", (text) => {
        const line = parseOrUndefined(text);
        if (line?.type === "ready") return ready.resolve();
        // Of tokens, and a flood is made of them, nothing is asked later.
        if (line?.id === undefined || line.type === "token") return;
        const kept = lines.get(line.id) ?? [];
        kept.push(line);
        lines.set(line.id, kept);
        if (isEnd(line)) waiting.get(line.id)?.(line);
      });
      let isAtEnd = false;
      reader.once("close", () => (isAtEnd = true));
      const state = {
        child,
        way,
        isGone: false,
        leaveUnread: () => void reader.pause(),
        // It may have been left meanwhile, since so much was unread, and have ended.
        readOn: () => void (isAtEnd || reader.resume()),
        linesOf: (id: string) => lines.get(id) ?? [],
        ask(request: Record<string, unknown> & { id: string }): Promise<Line | undefined> {
          return new Promise((resolve) => {
            if (state.isGone) return resolve(undefined);
            waiting.set(request.id, resolve);
            child.stdin.write(`${JSON.stringify(request)}\n`);
          });
        },
      };
      child.once("close", () => {
        state.isGone = true;
        closeWay(way);
        ready.resolve();
        for (const resolve of waiting.values()) resolve(undefined);
      });
      await ready.promise;
      return state;
    },
    /** How often the tool ran for each ticket. */
    runs(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const ticket of readFileSync(ledger, "utf8").split("\n").filter(Boolean)) counts.set(ticket, (counts.get(ticket) ?? 0) + 1);
      return counts;
    },
    async close(): Promise<void> {
      const gone = Array.from(children, (child) => once(child, "close"));
      for (const child of children) {
        child.kill("SIGCONT");
        child.kill("SIGKILL");
      }
      await Promise.all(gone);
      await fleet.close();
      await server.stop();
    },
  };
}

/** One that is killed may leave half a line. */
function parseOrUndefined(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

const toolModule = (ledger: string): string => `
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
export default [{
  name: "weld",
  description: "Welds a seam, once.",
  input: { type: "object", properties: { n: { type: "string" }, ms: { type: "number" } }, required: ["n"] },
  async run({ n, ms = 0 }) {
    appendFileSync(${JSON.stringify(ledger)}, n + "\\n");
    await sleep(ms);
    return "seam " + n + " is welded";
  },
}];
`;
