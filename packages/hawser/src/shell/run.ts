// `hawser shell`: the page's server and the runtime behind it, until Ctrl-C, SIGTERM, or the end of the
// program that started it. Addresses are the only lines on stdout, so that a program can read them: one at the start, and one
// for each Enter.

import { fileURLToPath } from "node:url";
import { HawserError } from "@hawser/protocol";
import { startShell, type PageAddress } from "@hawser/shell";
import { whenAborted } from "@hawser/wire/internal";
import { runUntilStopped } from "@hawser/wire/internal/node";
import { checkRoots } from "../agent/compose-agent.ts";
import { toAgentArguments, type AgentFlags } from "../agent/flags.ts";
import { printTo } from "../command-line/output.ts";
import { launcherPath } from "../launcher.ts";
import { startDemoAgent, type DemoAgent } from "./demo-agent.ts";
import { onEnter } from "./enter-key.ts";
import { openBrowser } from "./open-browser.ts";

export interface ShellFlags extends AgentFlags {
  readonly port?: number;
  /** False for `--no-open`. */
  readonly open?: boolean;
  readonly demo?: true;
}

// Built beside the package's own modules, from the sources and from the build alike.
const pageFolder = fileURLToPath(new URL("../dist/page", import.meta.resolve("@hawser/shell")));

export const runShell = (flags: ShellFlags): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    const roots = await checkRoots(flags, { env: process.env, cwd: process.cwd() });
    const demo = flags.demo ? await startDemoAgent(flags) : undefined;
    try {
      await serve({ flags, roots, demo, stopping });
    } finally {
      await demo?.close();
    }
  });

interface ServeOptions {
  readonly flags: ShellFlags;
  readonly roots: readonly string[];
  readonly demo: DemoAgent | undefined;
  readonly stopping: AbortSignal;
}

const notify = (text: string): void => printTo(process.stderr, `hawser: ${text}\n`);

async function serve({ flags, roots, demo, stopping }: ServeOptions): Promise<void> {
  const agentFlags = { ...flags, ...demo?.flags };
  const shell = await startShell({
    command: process.execPath,
    args: (attachments) => [...process.execArgv, launcherPath, "agent", ...toAgentArguments({ ...agentFlags, attachments })],
    env: { ...process.env, ...demo?.env },
    facts: { root: roots.join(", "), examples: demo?.examples },
    pageFolder,
    port: flags.port,
    onNotice: notify,
  });
  const printAddress = (): PageAddress => {
    const address = shell.newAddress();
    printTo(process.stdout, `${address.url}\n`);
    return address;
  };
  const ends: (() => void)[] = [];
  try {
    const address = printAddress();
    notify("the page is at the address above, for this machine only, and for one use; Enter prints another one, Ctrl-C ends it");
    ends.push(onEnter(process.stdin, printAddress));
    if (flags.open !== false) ends.push(openBrowser(address, { env: process.env, onNotice: notify }));
    const failure = await Promise.race([shell.failed, whenAborted(stopping)]);
    if (failure) throw new HawserError("start_failed", failure.message, { cause: failure });
  } finally {
    for (const end of ends) end();
    await shell.stop();
  }
}
