// `--demo` of `chat` and `shell`: the demo API in this process, and a configuration for the runtime that offers its operations
// as tools, also those that change something, which are asked about. Nothing that is saved for another API is mixed with it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HawserError } from "@hawser/protocol";
import type { AgentFlags } from "./flags.ts";

export interface DemoFlags extends AgentFlags {
  readonly demo?: true;
}

export interface RuntimeSetup<Flags> {
  readonly flags: Flags;
  /** Added to our own environment. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Requests that the demo answers. */
  readonly examples?: readonly string[];
}

/** With the flags as they are, or with the demo where they ask for it, which ends with the work. */
export async function withDemo<Flags extends DemoFlags, Result>(
  flags: Flags,
  work: (setup: RuntimeSetup<Flags>) => Promise<Result>,
): Promise<Result> {
  if (!flags.demo) return work({ flags });
  const given = flags.config === undefined ? {} : readJson(flags.config);
  const { startDemo, writeDemoConfig } = await import("../api-target/target.ts");
  const demo = await startDemo();
  const { url, token, folder, configFile, close } = demo;
  const config = join(folder, "agent.json");
  writeFileSync(config, JSON.stringify({ ...given, gateway: { url, allowMutations: true } }), { mode: 0o600 });
  writeDemoConfig(demo);
  const env = { IGNITION_API_TOKEN: token, IGNITION_GATEWAY_URL: url, HAWSER_GATEWAY_CONFIG: configFile };
  try {
    return await work({ flags: { ...flags, config }, env, examples: ["call listTags"] });
  } finally {
    await close();
  }
}

function readJson(path: string): object {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as object;
  } catch (cause) {
    throw new HawserError("usage", `${path} can't be read as JSON; see docs/agent/configuration.md`, { cause });
  }
}
