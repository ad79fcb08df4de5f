// `--demo`: the demo API in this process, and a configuration for the runtime that offers its operations as
// tools, also those that change something: the page asks before they are called.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoApi } from "@hawser/gateway";
import { HawserError } from "@hawser/wire";
import { onProcessEnd } from "@hawser/wire/node";
import type { AgentFlags } from "../agent/agent-flags.ts";

export interface DemoAgent {
  readonly flags: Pick<AgentFlags, "config">;
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export async function startDemoAgent({ config }: AgentFlags): Promise<DemoAgent> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-demo-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const release = onProcessEnd(remove);
  const api = await startDemoApi();
  const path = join(folder, "agent.json");
  const given = config === undefined ? {} : readJson(config);
  writeFileSync(path, JSON.stringify({ ...given, gateway: { url: api.url, allowMutations: true } }), { mode: 0o600 });
  return {
    flags: { config: path },
    env: { IGNITION_API_TOKEN: api.token, IGNITION_GATEWAY_URL: api.url },
    async close() {
      await api.close();
      release();
      remove();
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
