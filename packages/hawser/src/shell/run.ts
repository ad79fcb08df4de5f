// `hawser shell`: the page's server and the runtime behind it, until Ctrl-C, SIGTERM, or the end of the program that started
// it. Addresses are the only lines on stdout, for programs to read: one at the start, and one for each Enter.

import { HawserError } from "@hawser/protocol";
import { startShell, type PageAddress } from "@hawser/shell";
import { whenAborted } from "@hawser/wire/internal";
import { runUntilStopped } from "@hawser/wire/internal/node";
import { checkRoots } from "../agent/compose-agent.ts";
import { withDemo, type DemoFlags, type RuntimeSetup } from "../agent/demo-agent.ts";
import { checkHostFlags, toAgentArguments } from "../agent/flags.ts";
import { notify, printTo } from "../command-line/output.ts";
import type { FleetFlags } from "../fleet/flags.ts";
import { onEnter } from "./enter-key.ts";
import { openBrowser } from "./open-browser.ts";

export interface ShellFlags extends DemoFlags {
  readonly port?: number;
  /** False for `--no-open`. */
  readonly open?: boolean;
}

export const runShell = (given: ShellFlags): Promise<void> =>
  runUntilStopped(async ({ stopping }) => {
    checkHostFlags(given);
    const roots = given.fleet === undefined ? await checkRoots(given, { env: process.env, cwd: process.cwd() }) : [];
    if (given.fleet !== undefined) await checkFleet(given);
    await withDemo(given, (setup) => serve(setup, roots, stopping));
  });

/** Before an address is printed: a fleet that can't be reached is said here, with what to do, and not by the end of a process behind the page. */
async function checkFleet(flags: FleetFlags): Promise<void> {
  const { withFleet } = await import("../fleet/with-fleet.ts");
  await withFleet(flags, "hawser shell", () => Promise.resolve());
}

async function serve({ flags, env, examples }: RuntimeSetup<ShellFlags>, roots: readonly string[], stopping: AbortSignal): Promise<void> {
  const shell = await startShell({
    command: process.execPath,
    args: (attachments) => toAgentArguments({ ...flags, attachments }),
    env: { ...process.env, ...env },
    facts: { root: roots.join(", "), examples },
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
