// `hawser shell`: the page's server and the runtime behind it, until Ctrl-C, SIGTERM, or the end of whoever
// started it. Addresses are the only lines on stdout, so that a program can read them: one at the start, and one
// for each Enter.

import { fileURLToPath } from "node:url";
import { startShell, type PageAddress } from "@hawser/shell";
import { HawserError, whenAborted } from "@hawser/wire";
import { createLifecycle, endOnSignals, watchParent } from "@hawser/wire/node";
import { toAgentArguments, type AgentFlags } from "../agent/agent-flags.ts";
import { checkRoots } from "../agent/compose-agent.ts";
import { launcherPath } from "../launcher.ts";
import { printTo } from "../terminal.ts";
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

export async function runShell(flags: ShellFlags): Promise<void> {
  const lifecycle = createLifecycle();
  endOnSignals(lifecycle);
  watchParent(() => lifecycle.end("parent-gone", 0));
  const roots = await checkRoots(flags, { env: process.env, cwd: process.cwd() });
  const demo = flags.demo ? await startDemoAgent(flags) : undefined;
  try {
    await serve({ flags, roots, demo, stopping: lifecycle.stopping });
  } finally {
    await demo?.close();
    lifecycle.dispose();
  }
}

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
    await shell.close();
  }
}
