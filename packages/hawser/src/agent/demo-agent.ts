// `--demo` of `chat` and `shell`: the demo API in this process, whose operations the runtime offers as tools, also those that change
// something, which are asked about. The configuration is the user's own, which is read and written as ever; the demo only stands in for
// its `gateway`, and is never written. Nothing that is saved for another API is mixed with it.

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
  const { startDemo, writeDemoConfig } = await import("../api-target/target.ts");
  const demo = await startDemo();
  const { url, token, configFile, close } = demo;
  writeDemoConfig(demo);
  const env = { IGNITION_API_TOKEN: token, IGNITION_GATEWAY_URL: url, HAWSER_GATEWAY_CONFIG: configFile };
  try {
    return await work({ flags: { ...flags, demoGateway: url }, env, examples: ["call listTags"] });
  } finally {
    await close();
  }
}
