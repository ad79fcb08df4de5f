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
  let folder = "";
  const remove = (): void => void (folder !== "" && rmSync(folder, { recursive: true, force: true }));
  // Before there is a folder: a signal that comes right behind it must find this.
  const forget = onProcessEnd(remove);
  folder = mkdtempSync(join(tmpdir(), "hawser-demo-"));
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
