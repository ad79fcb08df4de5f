// What a command costs before its first answer, beside an empty Node: the package as it is published, with the code cache
// of its runs before. Once also with an empty cache, as at the first start on a machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { timeOf, type Contestant } from "../measure.ts";
import { prepareBridgeServers } from "../peers/bridge-servers.ts";
import { findIgw, preparePublished } from "../peers/rpc-servers.ts";
import { createTemporaryDirectory, readFirstLine, startProgram } from "../program.ts";
import type { Case, Row } from "../row.ts";

const empty = "node -e 0";

interface Start {
  readonly command: readonly string[];
  /** The line that ends the wait; without it, the end of the process does. */
  readonly until?: string;
  readonly input?: string;
}

export const commandStart: Row = {
  name: "Command start",
  async prepare(context) {
    const servers = await prepareBridgeServers(context);
    const hawser = await preparePublished(context);
    const folder = createTemporaryDirectory(context);
    const url = await readFirstLine(await startProgram(context, "http-api"));
    const specFile = join(folder, "openapi.json");
    fs.writeFileSync(specFile, JSON.stringify(document));
    const target = ["--gateway-url", url, "--api-key", "bench"];
    const one = ["call", ...target, "--method", "GET", "--path", "/one"];
    const agentFlags = ["--model", "offline", "--root", folder, "--data-dir", folder];
    const starts: readonly (readonly [string, number, Start])[] = [
      ["hawser --version", 1.1, { command: ["--version"] }],
      ["hawser call", 2.3, { command: one }],
      ["hawser rpc, to hello", 1.6, { command: ["rpc", ...target], input: '{"id":"1","op":"hello"}\n', until: '"id":"1"' }],
      ["hawser agent, to ready", 2, { command: ["agent", ...agentFlags, "--no-history"], input: hello, until: '"ready"' }],
      ["hawser bridge, to tools/list", 2.6, { command: ["bridge", ...servers.warm.args.slice(1)], input: listTools, until: '"id":2' }],
      ["hawser api search, cached", 2.4, { command: ["api", "search", "item", "--spec-file", specFile] }],
      ["hawser chat, one answer", 5.5, { command: ["chat", ...agentFlags, "--no-history", "hello"] }],
    ];
    const igw = findIgw();
    const toCase = ([name, atMost, start]: (typeof starts)[number]): Case => {
      const command = [...hawser, ...start.command];
      const cold = `${name}, empty cache`;
      return {
        name,
        work: start.until === undefined ? "spawn to exit" : "spawn to answer",
        unit: "ms",
        ours: name,
        contestants: [
          toContestant(name, { ...start, command }),
          toContestant(empty, { command: [process.execPath, "-e", "0"] }),
          toContestant(cold, { ...start, command }, () => makeEmptyCache(folder)),
          ...(igw !== undefined && start.command === one ? [toContestant("igw call", { command: [igw, ...one] })] : []),
        ],
        targets: [
          { peer: empty, atMost },
          // The first start takes 1.5 times as long at most.
          { peer: cold, atLeast: 1 / 1.5 },
        ],
      };
    };
    return starts.map(toCase);
  },
};

const document = {
  openapi: "3.0.3",
  info: { title: "bench", version: "1" },
  paths: Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      `/items/${at}`,
      { get: { operationId: `item${at}`, responses: { 200: { description: "." } } } },
    ]),
  ),
};

/** Without compiled code; what is known of API documents stays. */
function makeEmptyCache(folder: string): NodeJS.ProcessEnv {
  const cache = fs.mkdtempSync(join(folder, "cache-"));
  const documents = join(process.env["XDG_CACHE_HOME"] ?? "", "hawser/openapi");
  if (fs.existsSync(documents)) fs.cpSync(documents, join(cache, "hawser/openapi"), { recursive: true });
  return { XDG_CACHE_HOME: cache };
}

// A run without input keeps no code.
const hello = '{"id":"1","kind":"user_message","message":"hello"}\n';

const clientInfo = { name: "bench", version: "1" };
const listTools = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");

function toContestant(name: string, { command, until, input }: Start, makeEnv: () => NodeJS.ProcessEnv = () => ({})): Contestant {
  const [program = "", ...args] = command;
  return {
    name,
    async round() {
      const env = { ...process.env, ...makeEnv() };
      let exited: Promise<unknown[]> | undefined;
      let end = (): void => {};
      const ms = await timeOf(async () => {
        const child = spawn(program, args, { env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "ignore"] });
        exited = once(child, "exit");
        end = () => void child.stdin?.end();
        child.stdin?.write(input ?? "");
        if (until === undefined) child.stdout?.resume();
        if (until !== undefined && child.stdout) await untilLine(createInterface({ input: child.stdout }), until);
        else await exited;
      });
      end();
      const [code] = (await exited) ?? [];
      if (code !== 0) throw new Error(`${name} ended with ${String(code)}`);
      return [ms];
    },
  };
}

async function untilLine(lines: AsyncIterable<string>, wanted: string): Promise<void> {
  for await (const line of lines) if (line.includes(wanted)) return;
  throw new Error(`no line has ${wanted}`);
}
