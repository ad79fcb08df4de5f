// Starts `hawser expose` in folders of its own, so that what it leaves behind can be seen, and talks to
// it with the official MCP client.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { findProcesses, makeFolder, start, type Running } from "./run-hawser.ts";

export const fixtures = join(import.meta.dirname, "fixtures");
export const exposedTools = join(fixtures, "exposed-tools.ts");

export interface Exposed {
  readonly running: Running;
  /** What is still there: files of the session and running processes. */
  left(): unknown[];
}

export function startExpose(args: readonly string[], env: NodeJS.ProcessEnv = {}): Exposed {
  const folder = makeFolder("t");
  const running = start(["expose", ...args], { TMPDIR: folder, HAWSER_TEST_MARK: folder, ...env });
  return { running, left: () => [...readdirSync(folder), ...(findProcesses(`HAWSER_TEST_MARK=${folder}`) ?? [])] };
}

export interface ServerConfig {
  readonly command: string;
  readonly args: string[];
}

/** What `hawser expose` prints without --print. */
export const readConfig = async ({ running }: Exposed): Promise<ServerConfig> => JSON.parse(await running.printed("\n}\n")) as ServerConfig;

export async function withClient<Result>(config: ServerConfig, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: config.command, args: config.args, stderr: "inherit" }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
