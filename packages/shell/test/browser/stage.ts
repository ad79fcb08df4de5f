// The shell on a stage for a browser: the real server, the built page and a real `hawser agent`, in a folder
// of their own. Whatever the browser complains about (errors, refusals of the page's policy, requests to
// elsewhere) is collected, and a test that did not expect it fails at its end.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { startShell, type Shell } from "../../src/index.ts";
import type { Browser, BrowserContext, Page } from "./browser.ts";
import { createTab, type Tab } from "./tab.ts";

const launcher = resolve(import.meta.dirname, "../../../hawser/bin/hawser.mjs");
export const pageFolder = resolve(import.meta.dirname, "../../dist/page");

export interface PageStage extends AsyncDisposable {
  readonly shell: Shell;
  readonly origin: string;
  /** The folder in which the agent works. */
  readonly work: string;
  readonly context: BrowserContext;
  /** What went wrong in any tab. */
  readonly problems: string[];
  /** A tab that has opened the printed address and is connected. */
  open(): Promise<Tab>;
  /** A tab of the same browser that has only the cookie. */
  openAgain(address: string): Promise<Tab>;
  watch(page: Page): void;
  /** Of the runtime that this stage has started, and that runs now. */
  agentPid(): number | undefined;
}

export interface StageOptions {
  readonly model?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What the page says of where the agent works. */
  readonly root?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** What the context of the browser is made with: size, colours. */
  readonly view?: Parameters<Browser["newContext"]>[0];
  /** Complaints that belong to the test. */
  readonly expected?: RegExp;
  /** Before the agent starts. */
  prepare?(folders: Folders): Promise<void>;
}

export interface Folders {
  readonly work: string;
  readonly data: string;
}

export async function openPageStage(browser: Browser, options: StageOptions = {}): Promise<PageStage> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-browser-"));
  const folders = { work: join(folder, "work"), data: join(folder, "data") };
  writeFiles(folders.work, options.files ?? {});
  await options.prepare?.(folders);
  const shell = await startShell(toShellOptions(folder, folders, options)).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const context = await browser.newContext({ viewport: { width: 1_100, height: 800 }, ...options.view });
  context.setDefaultTimeout(25_000);
  const { origin } = new URL(shell.url);
  const problems: string[] = [];
  const watch = (page: Page): void => watchPage(page, origin, problems);

  async function openAt(address: string): Promise<Tab> {
    const page = await context.newPage();
    watch(page);
    await page.goto(address);
    const tab = createTab(page);
    await tab.status.getByText("idle").or(tab.status.getByText("working")).waitFor();
    return tab;
  }

  return {
    shell,
    origin,
    work: folders.work,
    context,
    problems,
    open: () => openAt(shell.url),
    openAgain: openAt,
    watch,
    agentPid: () => findAgent(folders.data),
    async [Symbol.asyncDispose]() {
      await context.close();
      await shell.close();
      rmSync(folder, { recursive: true, force: true });
      const { expected } = options;
      expect(problems.filter((problem) => !expected?.test(problem))).toEqual([]);
    },
  };
}

function toShellOptions(folder: string, { work, data }: Folders, { model = "offline", args = [], env, root = work }: StageOptions) {
  const agent = ["--conditions=hawser-source", launcher, "agent", `--model=${model}`, `--root=${work}`, `--data-dir=${data}`];
  return {
    command: process.execPath,
    args: (files: string) => [...agent, `--attachments=${files}`, ...args],
    // Neither keys nor settings of the person who runs the tests.
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, ...env },
    cwd: work,
    facts: { root, examples: ["call listTags"] },
    pageFolder,
    onNotice: () => {},
  };
}

function writeFiles(work: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(work, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), content);
  }
}

function watchPage(page: Page, origin: string, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:")) problems.push(`request to ${url}`);
  });
}

/** By its parent, which is this process, and by the folder that only it was given. */
function findAgent(data: string): number | undefined {
  const found = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(parent) === process.pid && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(data);
    } catch {
      // Ended while it was looked at.
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}
