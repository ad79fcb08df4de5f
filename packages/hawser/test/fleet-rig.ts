// A fleet for tests, of real processes: a server, runtimes with a tool that writes down each of its runs, and hosts whose every line is
// kept. A run of the tool can be held until it is let go, so that a test knows that a turn is in its middle.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeLeaseBucket } from "../../fleet/test/stream-settings.ts";
import { openFleet } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { makeFolder, start, type Running } from "./run-hawser.ts";

export type Line = Record<string, unknown> & { id?: string; type: string };

export interface RawHost {
  readonly process: Running["process"];
  readonly lines: readonly Line[];
  send(request: Record<string, unknown> & { id: string }): void;
  /** Resolves with the end of a request. */
  end(id: string): Promise<Line>;
  close(): Promise<void>;
}

const endings = ["done", "error", "status"];
export const endsOf = ({ lines }: Pick<RawHost, "lines">, id: string): Line[] =>
  lines.filter((line) => line.id === id && endings.includes(line.type));
export const textOf = ({ lines }: Pick<RawHost, "lines">, id: string): string =>
  lines.flatMap((line) => (line.id === id && line.type === "token" ? [String(line["token"])] : [])).join("");

/** Short, so that a test need not wait long for a dead owner. */
const leaseMs = 2_000;

export async function openRig(address: string, more: readonly string[] = []) {
  const folder = makeFolder("rig");
  const ledger = join(folder, "ledger");
  const running = new Set<Running>();
  const fleet = await openFleet({ address });
  await makeLeaseBucket(fleet, leaseMs);
  appendFileSync(ledger, "");
  writeFileSync(join(folder, "weld.mjs"), toolModule(folder));
  writeFileSync(join(folder, "agent.json"), JSON.stringify({ permissions: [{ tool: "weld", decision: "allow" }] }));

  function begin(args: readonly string[]): Running {
    const started = start(args);
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  }

  return {
    folder,
    fleet,
    connection: fleet.connection,
    /** A runtime; resolves when it serves. */
    async runtime(): Promise<Running & { stderr(): string }> {
      const data = makeFolder("data");
      const flags = ["--model", "offline", "--root", folder, "--tools", join(folder, "weld.mjs"), "--config", join(folder, "agent.json")];
      const started = begin(["agent", "--fleet", address, ...flags, "--data-dir", data, ...more]);
      let stderr = "";
      started.process.stderr.on("data", (text: string) => (stderr += text));
      await until(() => stderr.includes("serves conversations") || started.process.exitCode !== null);
      return { ...started, stderr: () => stderr };
    },
    /** A host; resolves when it is ready. */
    async host(): Promise<RawHost> {
      const started = begin(["fleet", "host", "--fleet", address]);
      const lines: Line[] = [];
      let rest = "";
      started.process.stdout.on("data", (text: string) => {
        const parts = (rest + text).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) lines.push(JSON.parse(part) as Line);
      });
      const host: RawHost = {
        process: started.process,
        lines,
        send: (request) => void started.process.stdin.write(`${JSON.stringify(request)}\n`),
        async end(id) {
          await until(() => endsOf(host, id).length > 0, 60_000, `the end of ${id}`);
          return endsOf(host, id)[0] as Line;
        },
        async close() {
          started.process.stdin.end();
          await started.ended;
        },
      };
      await until(() => lines.length > 0 || started.process.exitCode !== null);
      return host;
    },
    /** Tells runtimes to leave, as an operator does. */
    drain: (name: string) => begin(["fleet", "drain", name, "--fleet", address]).ended,
    status: () => begin(["fleet", "status", "--fleet", address]).ended,
    /** The runs of the tool, as `<n> <process id>`. */
    runs: (): string[] => readFileSync(ledger, "utf8").split("\n").filter(Boolean),
    /** Resolves to the process in which the held run number `n` is. */
    async held(n: number | string): Promise<number> {
      let found: string | undefined;
      await until(() => {
        found = readFileSync(ledger, "utf8")
          .split("\n")
          .find((line) => line.startsWith(`${n} `));
        return found !== undefined;
      });
      return Number(found?.split(" ")[1]);
    },
    letGo: (n: number | string): void => writeFileSync(join(folder, `gate-${n}`), ""),
    isLetGo: (n: number | string): boolean => existsSync(join(folder, `gate-${n}`)),
    async close(): Promise<void> {
      for (const one of running) {
        one.process.kill("SIGCONT");
        one.process.kill("SIGKILL");
      }
      await Promise.all(Array.from(running, ({ ended }) => ended));
    },
  };
}

const toolModule = (folder: string): string => `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const folder = ${JSON.stringify(folder)};
export default [{
  name: "weld",
  description: "Welds a seam, once.",
  input: { type: "object", properties: { n: { type: "string" }, hold: { type: "boolean" }, size: { type: "number" } }, required: ["n"] },
  async run({ n, hold, size = 0 }) {
    appendFileSync(folder + "/ledger", n + " " + process.pid + "\\n");
    while (hold && !existsSync(folder + "/gate-" + n)) await sleep(20);
    return "seam " + n + " is welded" + "!".repeat(size);
  },
}];
`;

export const say = (id: string, message: string, conversationId: string) => ({
  id,
  kind: "user_message",
  message,
  metadata: { conversationId },
});
export const weld = (n: string, hold = false, size = 0): string =>
  `use weld with ${JSON.stringify({ n, ...(hold && { hold }), ...(size > 0 && { size }) })}`;
