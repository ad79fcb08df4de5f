// The shell on a stage for a browser: a served shell, and a context of the browser, in which nothing is left of
// those before. Whatever the browser complains about (errors, refusals of the page's policy, requests to elsewhere)
// is collected, and a test that did not expect it fails at its end.

import { afterAll, expect, vi } from "vitest";
import type { Browser, BrowserContext, Page } from "./browser.ts";
import { borrowContext, type View } from "./contexts.ts";
import { serveShell, type Files, type ServedShell, type ServedShellOptions } from "./served-shell.ts";
import { createTab, type Tab } from "./tab.ts";

export interface PageStage extends AsyncDisposable, Pick<ServedShell, "shell" | "origin" | "notices" | "work" | "agentPid" | "decisions"> {
  readonly context: BrowserContext;
  /** What went wrong in any tab. */
  readonly problems: string[];
  /** A tab that has opened a new address and is connected. */
  open(): Promise<Tab>;
  /** A tab of the same browser at an address without a key, let in by one that is open. */
  openAgain(address: string): Promise<Tab>;
  /** A tab at an address, whatever comes of it. */
  visit(address: string): Promise<Page>;
}

export interface VisitOptions {
  readonly files?: Files;
  /** What the context of the browser is made with: size, colours. */
  readonly view?: View;
  /** Each page, before it goes anywhere. What is done to the context would stay for later stages. */
  preparePage?(page: Page): Promise<unknown>;
  /** Complaints that belong to the test. */
  readonly expected?: RegExp;
}

// For everything that a browser, a shell and an agent do together on a busy machine: it costs time only when something fails.
const actionMs = 60_000;
vi.setConfig({ testTimeout: 300_000 });

export type StageOptions = VisitOptions & ServedShellOptions;

/** On a shell of its own: for a test that ends it, or starts it in its own way. */
export async function openPageStage(browser: Browser, options: StageOptions = {}): Promise<PageStage> {
  const served = await serveShell(options);
  return visit(browser, served, options, async () => served[Symbol.asyncDispose]());
}

export type OpenStage = (options?: VisitOptions) => Promise<PageStage>;

/** For the top of a test file: stages one after the other on the same shell, which is started for the first and ends with the file. */
export function shareShell(browser: Browser | undefined, options: () => ServedShellOptions = () => ({})): OpenStage {
  let serving: Promise<ServedShell> | undefined;
  afterAll(async () => (await serving)?.[Symbol.asyncDispose]());
  return async (visitOptions = {}) => {
    const served = await (serving ??= serveShell(options()));
    return visit(browser as Browser, served, visitOptions, () => served.forget());
  };
}

async function visit(browser: Browser, served: ServedShell, options: VisitOptions, leave: () => Promise<void>): Promise<PageStage> {
  const { shell, origin, notices, work, agentPid, decisions } = served;
  served.write(options.files ?? {});
  // What moves for ever costs a core for ever.
  const view = { viewport: { width: 1_100, height: 800 }, reducedMotion: "reduce", ...options.view } as const;
  const { context, giveBack } = await borrowContext(browser, view);
  context.setDefaultTimeout(actionMs);
  const problems: string[] = [];

  async function visitAt(address: string): Promise<Page> {
    const page = await context.newPage();
    watchPage(page, origin, problems);
    await options.preparePage?.(page);
    await page.goto(address);
    return page;
  }

  async function openAt(address: string): Promise<Tab> {
    const tab = createTab(await visitAt(address));
    await tab.status.getByText(/^(?:idle|working|asks you)$/).waitFor();
    return tab;
  }

  return {
    shell,
    origin,
    notices,
    work,
    agentPid,
    decisions,
    context,
    problems,
    open: () => openAt(shell.newAddress().url),
    openAgain: openAt,
    visit: visitAt,
    async [Symbol.asyncDispose]() {
      await giveBack(origin);
      await leave();
      const { expected } = options;
      expect(problems.filter((problem) => !expected?.test(problem))).toEqual([]);
    },
  };
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
