// `--demo`: the demo API in this process, and a target that leads to it whatever is configured. Its
// folder keeps the person's own configuration, documents and cache out of it, and is removed with it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDemoApi, type DemoApi, type GatewayOptions } from "@hawser/gateway";
import { createPrivateFolder } from "@hawser/wire/node";

export interface DemoTarget {
  readonly options: GatewayOptions;
  close(): Promise<void>;
}

export async function startDemoTarget({ timeoutMs }: GatewayOptions): Promise<DemoTarget> {
  const folder = createPrivateFolder("demo");
  const demo = await startDemoApi();
  return {
    options: {
      gatewayUrl: demo.url,
      apiKey: demo.token,
      timeoutMs,
      // Nothing else: neither addresses, tokens and proxies of the environment nor a saved profile.
      env: { HAWSER_GATEWAY_CONFIG: configFileIn(folder.path), XDG_CACHE_HOME: folder.path },
      cwd: folder.path,
    },
    async close() {
      await demo.close();
      folder.remove();
    },
  };
}

const configFileIn = (folder: string): string => join(folder, "gateway.json");

/** For other processes, as HAWSER_GATEWAY_CONFIG: the demo alone, with its document, instead of what is saved. Returns the file. */
export function writeDemoConfig(folder: string, { url, token }: Pick<DemoApi, "url" | "token">): string {
  const file = configFileIn(folder);
  writeFileSync(file, JSON.stringify({ gatewayURL: url, token, specFile: `${url}/openapi.json` }), { mode: 0o600 });
  return file;
}
