// Servers of igw-rpc-v1 as a host starts them, and the least that a host needs to talk to one. The
// original `igw` takes part where it is found: its path in HAWSER_BENCH_IGW, or on the PATH.

import { startChild, type PipedChild } from "@hawser/wire/node";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { buildStep } from "../../scripts/tasks/build.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { RowContext } from "../row.ts";

export interface RpcAnswer {
  readonly ok: boolean;
  readonly data?: { readonly response?: { readonly body: string } };
}

export interface RpcClient {
  request(op: string, args?: object): Promise<RpcAnswer>;
}

const launcher = resolve(import.meta.dirname, "../../packages/hawser/bin/hawser.cjs");

/** `hawser` as it is shipped: built, and after its first start on a machine. */
export async function prepareHawser(context: RowContext): Promise<readonly string[]> {
  const { status, text } = await buildStep.run();
  if (status === "failed") throw new Error(`the build failed:\n${text}`);
  isolate(createTemporaryDirectory(context), context);
  spawnSync(process.execPath, [launcher, "rpc", "--gateway-url", "http://127.0.0.1:9", "--api-key", "x"], { input: '{"op":"hello"}\n' });
  return [process.execPath, launcher];
}

/** The package as npm would install it: a checkout's launcher also looks whether the build is fresh. */
export async function preparePublished(context: RowContext): Promise<readonly string[]> {
  await prepareHawser(context);
  const folder = createTemporaryDirectory(context);
  for (const part of ["package.json", "bin", "dist/cli", "dist/bridge.cjs", "dist/bridge-main.cjs"])
    fs.cpSync(resolve(launcher, "../..", part), join(folder, part), { recursive: true });
  return [process.execPath, join(folder, "bin/hawser.cjs")];
}

// Neither the user's configuration nor the user's caches take part.
function isolate(folder: string, context: RowContext): void {
  const names = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME"];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = folder;
  context.defer(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

/** The original program; undefined where there is none. Our own launcher of that name does not count. */
export function findIgw(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "igw"));
  return [process.env["HAWSER_BENCH_IGW"] ?? "", ...onPath].find((path) => path !== "" && fs.existsSync(path) && isOriginal(path));
}

function isOriginal(path: string): boolean {
  const manifest = fs.readFileSync(resolve(import.meta.dirname, "../../packages/hawser/package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const { status, stdout } = spawnSync(path, ["version"], { encoding: "utf8" });
  return status === 0 && stdout.startsWith("igw version ") && stdout.trim() !== `igw version ${version}`;
}

/** Starts a command with pipes; it is stopped when the row is over. */
export async function startServer(context: RowContext, command: readonly string[]): Promise<PipedChild> {
  const [program = "", ...args] = command;
  const child = await startChild({ command: program, args, stdio: "pipe", stopInputMs: 1_000, stopSignalMs: 1_000, onStderr: () => {} });
  context.defer(async () => void (await child.stop()));
  return child;
}

/** Matches answers to requests by id; any number may be under way. */
export function createRpcClient({ stdin, stdout }: PipedChild): RpcClient {
  const waiting = new Map<number, (answer: RpcAnswer) => void>();
  let lastId = 0;
  createInterface({ input: stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as RpcAnswer & { id: number };
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    request: (op, args) =>
      new Promise((settle) => {
        const id = ++lastId;
        waiting.set(id, settle);
        stdin.write(`${JSON.stringify({ id, op, args })}\n`);
      }),
  };
}
