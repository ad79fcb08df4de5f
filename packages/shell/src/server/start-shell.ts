// The shell: a local server for the page, and the runtime behind it. The server moves lines and knows no
// message; the runtime is started again when it ends, and the page is told. When the shell is closed,
// nothing is left: no process, no socket, no file.

import { createProcessLink } from "@hawser/agent/host";
import { fileURLToPath } from "node:url";
import { agentHostLimits } from "@hawser/agent/host/link";
import { createNoiseLog, type HawserError } from "@hawser/protocol/internal";
import type { RuntimeFacts } from "../link/page-frames.ts";
import { createDroppedFiles } from "./dropped-files.ts";
import { startServer, type PageAddress, type ShellServer } from "./http-server.ts";
import { readPageFiles } from "./page-files.ts";
import { createTabs, relay } from "./tabs.ts";

export interface ShellOptions {
  /** The runtime's program and arguments; the folder of dropped files is given as a further root. */
  readonly command: string;
  args(filesFolder: string): readonly string[];
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** Shown on the page. */
  readonly facts?: RuntimeFacts | undefined;
  /** The built page. */
  readonly pageFolder?: string;
  /** 0, and without one: any free port. */
  readonly port?: number | undefined;
  /** How long a runtime may take until it greets. */
  readonly readyMs?: number | undefined;
  /** For the person at the terminal: a line of the runtime that isn't a message, a key that was used twice. */
  onNotice(text: string): void;
}

export interface Shell {
  readonly port: number;
  /** An address to be opened in a browser, once; it carries a key of its own. */
  newAddress(): PageAddress;
  /** Resolves when the runtime has ended for good, and why. */
  readonly failed: Promise<HawserError>;
  stop(): Promise<void>;
}

// Beside what runs: the package's own build, or the bundle of the command line. The sources have it in the build.
const builtPage = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../dist/page" : "../page", import.meta.url));

export async function startShell(options: ShellOptions): Promise<Shell> {
  const { command, env, cwd, port = 0, readyMs = agentHostLimits.hostReadyMs, onNotice } = options;
  const page = readPageFiles(options.pageFolder ?? builtPage);
  const files = createDroppedFiles();
  const link = createProcessLink({
    command,
    args: options.args(files.folder),
    env,
    cwd,
    restart: true,
    readyMs,
    onNoise: createNoiseLog((words) => onNotice(`the agent: ${words}`)),
  });
  const tabs = createTabs({ send: async (line) => link.send(line), facts: options.facts });
  async function closeAll(server?: ShellServer): Promise<void> {
    tabs.close();
    await Promise.all([server?.close(), link.stop()]);
    files.remove();
  }
  const server = await startServer({ port, page, files, tabs, onNotice }).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  let closing: Promise<void> | undefined;
  return {
    port: server.port,
    newAddress: server.newAddress,
    failed: relay(link.incoming, tabs),
    stop: () => (closing ??= closeAll(server)),
  };
}
