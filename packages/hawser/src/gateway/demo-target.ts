// `--demo`: the demo API in this process, and a target that leads to it whatever is configured. Its
// folder keeps the person's own configuration, documents and cache out of it, and is removed with it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoApi, type GatewayOptions } from "@hawser/gateway";
import { onProcessEnd } from "@hawser/wire/node";

export interface DemoTarget {
  readonly options: GatewayOptions;
  close(): Promise<void>;
}

export async function startDemoTarget({ timeoutMs }: GatewayOptions): Promise<DemoTarget> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-demo-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onProcessEnd(remove);
  const demo = await startDemoApi();
  return {
    options: {
      gatewayUrl: demo.url,
      apiKey: demo.token,
      timeoutMs,
      env: { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      cwd: folder,
    },
    async close() {
      await demo.close();
      remove();
      forget();
    },
  };
}
