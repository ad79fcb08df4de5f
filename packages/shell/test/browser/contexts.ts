// The contexts of the browser, which stages borrow one after the other. In a new one the page is fetched and compiled
// anew, which is a good part of what a short test costs. So a context is emptied instead: its pages are closed and what
// they stored is removed, and one empty page keeps the process of the site alive.

import { isApart, type Browser, type BrowserContext, type CDPSession, type Page } from "./browser.ts";

export type View = NonNullable<Parameters<Browser["newContext"]>[0]>;

export interface BorrowedContext {
  readonly context: BrowserContext;
  /** Its pages end, and nothing of theirs is left for the next. */
  giveBack(origin: string): Promise<void>;
}

interface KeptContext {
  readonly context: BrowserContext;
  readonly anchor: Page;
  readonly devtools: CDPSession;
}

const free = new WeakMap<Browser, Map<string, KeptContext[]>>();

export async function borrowContext(browser: Browser, view: View): Promise<BorrowedContext> {
  if (isApart(browser)) {
    const context = await browser.newContext(view);
    return { context, giveBack: () => context.close() };
  }
  const kept = freeContexts(browser, view);
  const borrowed = kept.pop() ?? (await keepContext(browser, view));
  return {
    context: borrowed.context,
    async giveBack(origin) {
      await empty(borrowed, origin);
      kept.push(borrowed);
    },
  };
}

function freeContexts(browser: Browser, view: View): KeptContext[] {
  const byView = free.get(browser) ?? new Map<string, KeptContext[]>();
  free.set(browser, byView);
  const key = JSON.stringify(view);
  const contexts = byView.get(key) ?? [];
  byView.set(key, contexts);
  return contexts;
}

async function keepContext(browser: Browser, view: View): Promise<KeptContext> {
  const context = await browser.newContext(view);
  const anchor = await context.newPage();
  // Answered here: it has no server, but it is of the same site as all ports of this machine.
  await anchor.route("**", (route) => route.fulfill({ contentType: "text/html", body: "<title>anchor</title>" }));
  await anchor.goto("http://127.0.0.1/");
  return { context, anchor, devtools: await context.newCDPSession(anchor) };
}

async function empty({ context, anchor, devtools }: KeptContext, origin: string): Promise<void> {
  await Promise.all(context.pages().flatMap((page) => (page === anchor ? [] : page.close())));
  await devtools.send("Storage.clearDataForOrigin", {
    origin,
    storageTypes: "cookies,local_storage,indexeddb,cache_storage,service_workers",
  });
}
