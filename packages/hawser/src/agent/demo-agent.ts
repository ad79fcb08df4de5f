// `--demo`: the demo API in this process, and a configuration for the runtime that offers its operations as
// tools, also those that change something: the page asks before they are called. Nothing that is saved for another
// API, and no document of the current folder, is mixed with it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDemoApi } from "@hawser/gateway";
import { HawserError } from "@hawser/protocol";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import type { AgentFlags } from "../agent/flags.ts";
import { writeDemoConfig } from "../api-target/target.ts";

export interface DemoAgent {
  readonly flags: Pick<AgentFlags, "config">;
  readonly env: NodeJS.ProcessEnv;
  /** Requests that it answers, for the page. */
  readonly examples: readonly string[];
  close(): Promise<void>;
}

export async function startDemoAgent({ config }: AgentFlags): Promise<DemoAgent> {
  const given = config === undefined ? {} : readJson(config);
  const folder = createPrivateFolder("demo");
  const api = await startDemoApi();
  const path = join(folder.path, "agent.json");
  writeFileSync(path, JSON.stringify({ ...given, gateway: { url: api.url, allowMutations: true } }), { mode: 0o600 });
  const gatewayConfig = writeDemoConfig(folder.path, api);
  return {
    flags: { config: path },
    examples: ["call listTags"],
    env: { IGNITION_API_TOKEN: api.token, IGNITION_GATEWAY_URL: api.url, HAWSER_GATEWAY_CONFIG: gatewayConfig },
    async close() {
      await api.stop();
      folder.remove();
    },
  };
}

function readJson(path: string): object {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as object;
  } catch (cause) {
    throw new HawserError("usage", `${path} can't be read as JSON; see docs/agent/configuration.md`, { cause });
  }
}
