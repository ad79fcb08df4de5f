// `hawser gateway demo`: the demo API until Ctrl-C, with lines to try in another terminal.

import { startDemoApi } from "@hawser/gateway";
import { whenAborted } from "@hawser/wire";
import { createLifecycle, createPrivateFolder, endOnSignals, watchParent } from "@hawser/wire/node";
import { commandName } from "../launcher.ts";
import { printTo } from "../terminal.ts";
import { writeDemoConfig } from "./demo-target.ts";

export interface DemoFlags {
  readonly port?: number;
  readonly json?: true;
}

// One that can be typed: the demo is reached from this machine only and holds nothing.
const demoToken = "demo-token";

export async function runDemo({ port, json }: DemoFlags): Promise<void> {
  const lifecycle = createLifecycle();
  endOnSignals(lifecycle);
  watchParent(() => lifecycle.end("parent-gone", 0));
  const demo = await startDemoApi({ port, token: demoToken });
  const folder = createPrivateFolder("demo");
  const configFile = writeDemoConfig(folder.path, demo);
  printTo(process.stdout, json ? `${JSON.stringify({ url: demo.url, token: demo.token, configFile })}\n` : describe(demo.url, configFile));
  await whenAborted(lifecycle.stopping);
  await demo.close();
  folder.remove();
  lifecycle.dispose();
}

function describe(url: string, configFile: string): string {
  const name = commandName();
  return [
    `The demo API serves at ${url} until Ctrl-C. In another terminal:`,
    "",
    `  export IGNITION_GATEWAY_URL=${url} IGNITION_API_TOKEN=${demoToken}`,
    // So that a saved profile, or a document in the current folder, does not mix with it.
    `  export HAWSER_GATEWAY_CONFIG=${configFile}`,
    `  ${name} doctor`,
    `  ${name} api list`,
    `  ${name} call --path /data/api/v1/gateway-info`,
    `  ${name} call --op listLogs --param limit=2 --json`,
    `  ${name} call --op writeTag --param name=Tank/Level --body '{"value":70}' --yes`,
    `  ${name} call --op slow --param ms=3000 --timeout 1s`,
    `  echo '{"id":1,"op":"call","args":{"op":"readTag","params":{"name":"Tank/Level"}}}' | ${name} rpc`,
    "",
    "",
  ].join("\n");
}
