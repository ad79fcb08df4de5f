// The browser of these tests: a Chromium that comes with `npm ci` and is unpacked once, beside the modules.
// It runs with its own protections on, since they are part of what is tested. Where it can't start, the
// tests are skipped and the reason is printed. HAWSER_TEST_BROWSER names another Chromium.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import chromiumPack from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

export type { Browser, BrowserContext, CDPSession, Locator, Page } from "playwright-core";

// The pack's own list of flags switches off what keeps origins apart, and runs everything in one process.
const flags = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none", "--disable-dev-shm-usage"];

// What one page has compiled, the next one in its process need not compile again. Other origins still get their own.
const oneForThePage = "--renderer-process-limit=1";

export interface LaunchOptions {
  readonly flags?: readonly string[];
  /** For tests of what is kept apart: a process for each page, a context for each stage. */
  readonly apart?: boolean;
}

const launchedApart = new WeakSet<Browser>();
export const isApart = (browser: Browser): boolean => launchedApart.has(browser);

/** The browser, or why there is none. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser | string> {
  try {
    const executablePath = process.env["HAWSER_TEST_BROWSER"] ?? (await unpackBrowser());
    const browser = await chromium.launch({
      executablePath,
      args: [...flags, ...(options.apart ? [] : [oneForThePage]), ...(options.flags ?? [])],
      headless: true,
      // A busy machine takes its time, and tests that are skipped prove nothing.
      timeout: 180_000,
      env: toEnvironment(dirname(executablePath)),
    });
    if (options.apart) launchedApart.add(browser);
    return browser;
  } catch (error) {
    return `no browser could be started here: ${String(error).split("\n", 1)[0]}`;
  }
}

/** For the top of a test file: prints why its tests are skipped. */
export async function launchOrExplain(options?: LaunchOptions): Promise<Browser | undefined> {
  const browser = await launchBrowser(options);
  if (typeof browser !== "string") return browser;
  console.log(`The tests in a real browser are skipped: ${browser}`);
  return undefined;
}

const fontsFile = "fonts.xml";
const cache = resolve(import.meta.dirname, "../../../../node_modules/.cache/hawser-browser");

/** Test files run at the same time: each unpacks into a folder of its own, and the first one puts it in place. */
async function unpackBrowser(): Promise<string> {
  const place = join(cache, "unpacked");
  const program = join(place, "chromium");
  if (existsSync(program)) return program;
  if (process.platform !== "linux") throw new Error(`the one that comes with the modules is for Linux, and this is ${process.platform}`);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "new-"));
  try {
    await unpackInto(folder);
    // The pack's own file names folders that are not here.
    writeFileSync(
      join(folder, fontsFile),
      `<fontconfig><dir>${join(place, "fonts")}</dir><cachedir>${place}/font-cache</cachedir></fontconfig>\n`,
    );
    renameSync(folder, place);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  }
  return program;
}

/** The pack unpacks into the folder for temporary files; it reads its name before it returns. */
function unpackInto(folder: string): Promise<string> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    return chromiumPack.executablePath();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

/** A machine without fonts gets those of the pack. */
function toEnvironment(folder: string): Record<string, string> {
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return existsSync("/etc/fonts/fonts.conf") ? env : { ...env, FONTCONFIG_FILE: join(folder, fontsFile) };
}
