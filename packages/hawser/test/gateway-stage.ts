// The stage of the gateway's command tests: the real programs `hawser` and `igw`, with a configuration
// folder of their own and no wishes of whoever runs the tests, against APIs on loopback.

import type { CallJson } from "@hawser/gateway/internal";
import type { RpcResponse } from "@hawser/protocol";
import { builtHawser, builtIgw } from "../../../test/kit/built-hawser.ts";
import { makeCacheFolder, makeFolder, start, type Ended, type Running } from "./run-hawser.ts";

/** Both names of the program, in the form that starts quickly. */
export const hawser: string = builtHawser;
export const igw: string = builtIgw;

export interface Place {
  /** Of the configuration. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A fresh place; `target` is where its calls go. */
export function makePlace(target?: { readonly url: string; readonly token?: string }): Place {
  const folder = makeFolder("gateway");
  return {
    folder,
    env: {
      XDG_CONFIG_HOME: folder,
      // Documents lie in it by their address, and the system may give a port of one test to another.
      XDG_CACHE_HOME: makeCacheFolder(),
      IGNITION_GATEWAY_URL: target?.url,
      IGNITION_API_TOKEN: target && (target.token ?? "demo-token"),
    },
  };
}

interface Options<Value = unknown> {
  readonly program?: string;
  readonly input?: string | Buffer;
  readonly read?: (text: string) => Value;
}

export function startIn(place: Place, args: readonly string[], { program = hawser }: Options = {}): Running {
  return start(withPatience(args), place.env, [program]);
}

const timed = new Set(["call", "doctor", "rpc"]);

/** Time enough for a busy machine, where a test does not say how long it may take. */
function withPatience(args: readonly string[]): readonly string[] {
  const [command = "", ...rest] = args;
  return timed.has(command) && !rest.includes("--timeout") ? [command, "--timeout", "60s", ...rest] : args;
}

export async function runIn(place: Place, args: readonly string[], options: Options = {}): Promise<Ended> {
  const running = startIn(place, args, options);
  running.process.stdin.end(options.input ?? "");
  return running.ended;
}

/** The same, with what was printed as JSON. */
export async function runJson<Value = CallJson>(
  place: Place,
  args: readonly string[],
  options: Options<Value> = {},
): Promise<Ended & { value: Value }> {
  const ended = await runIn(place, [...args, "--json"], options);
  return { ...ended, value: (options.read ?? (JSON.parse as (text: string) => Value))(ended.stdout) };
}

/** Talks to `rpc` until a `shutdown`, which waits for every call; the end of its input would leave them ten seconds. */
export async function talkIn(
  place: Place,
  lines: readonly (string | object)[],
  { args = [], program }: { readonly args?: readonly string[]; readonly program?: string } = {},
): Promise<Ended & { readonly answers: RpcResponse[] }> {
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  const isOver = texts.some((text) => text.includes('"shutdown"'));
  const running = startIn(place, ["rpc", ...args], { ...(program !== undefined && { program }) });
  running.process.stdin.write([...texts, ...(isOver ? [] : ['{"op":"shutdown"}'])].map((text) => `${text}\n`).join(""));
  const ended = await running.ended;
  const answers = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RpcResponse);
  return { ...ended, answers: isOver ? answers : answers.slice(0, -1) };
}
