// The shell's page in a real browser, as a row of the bench needs it: the built page, the local server, a
// runtime, and the Chromium of the tests. Undefined, with a printed reason, where no browser can start.

import { join, resolve } from "node:path";
import { launchBrowser, type Browser, type BrowserContext } from "../../packages/shell/test/browser/browser.ts";
import { startShell, type Shell } from "../../packages/shell/src/index.ts";
import { withTreeLock } from "../../scripts/setup/tree-lock.mjs";
import { buildPage } from "../../scripts/tasks/page.ts";
import { root } from "../../scripts/tasks/tool.ts";
import type { RowContext } from "../row.ts";

export interface ShellPage {
  readonly shell: Shell;
  readonly browser: Browser;
  /** A fresh one, without stores and caches. */
  newContext(): Promise<BrowserContext>;
}

/** The runtime is a program of the bench. */
export async function openShellPage(context: RowContext, program: string): Promise<ShellPage | undefined> {
  const { code, output } = await withTreeLock(root, buildPage);
  if (code !== 0) throw new Error(`the page can't be built:\n${output}`);
  const browser = await launchBrowser({ apart: true });
  if (typeof browser === "string") {
    process.stderr.write(`Shell: not measured, ${browser}\n`);
    return undefined;
  }
  context.defer(() => browser.close());
  const shell = await startShell({
    command: process.execPath,
    args: () => [...process.execArgv, join(import.meta.dirname, "../programs", `${program}.ts`)],
    pageFolder: resolve(import.meta.dirname, "../../packages/shell/dist/page"),
    onNotice: () => {},
  });
  context.defer(() => shell.stop());
  return { shell, browser, newContext: () => browser.newContext({ viewport: { width: 1_280, height: 800 } }) };
}
