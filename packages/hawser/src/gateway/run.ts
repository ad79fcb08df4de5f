// `hawser gateway demo`: the demo API until Ctrl-C, with lines to try in another terminal.

import { whenAborted } from "@hawser/wire/internal";
import { runUntilStopped } from "@hawser/wire/internal/node";
import { startDemo, writeDemoConfig } from "../api-target/target.ts";
import { printTo } from "../command-line/output.ts";
import { commandName } from "../command-line/launcher.ts";

export interface DemoFlags {
  readonly port?: number;
  readonly json?: true;
}

// One that can be typed: the demo is reached from this machine only and holds nothing.
const demoToken = "demo-token";

export const runDemo = ({ port, json }: DemoFlags): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    const demo = await startDemo({ port, token: demoToken });
    writeDemoConfig(demo);
    const { url, token, configFile, close } = demo;
    printTo(process.stdout, json ? `${JSON.stringify({ url, token, configFile })}\n` : describe(url, configFile));
    await whenAborted(stopping);
    await close();
  });

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
