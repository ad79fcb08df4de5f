// The stage of the gateway's command tests: the real programs `hawser` and `igw`, with a configuration
// folder of their own and no wishes of whoever runs the tests, against APIs on loopback.

import { join } from "node:path";
import type { CallJson } from "@hawser/gateway";
import { packHawser } from "./packed-hawser.ts";
import { makeFolder, start, type Ended, type Running } from "./run-hawser.ts";

/** Both names of the program, in the form that starts quickly. */
export const hawser: string = await packHawser();
export const igw: string = join(hawser, "..", "igw.mjs");

export interface Place {
  /** Of the configuration. The cache is shared: documents lie in it by their address. */
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
  return start(args, place.env, [program]);
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
