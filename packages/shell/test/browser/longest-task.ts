// How long a page can't react while something is done: its longest task, in milliseconds of its own processor time, since a busy
// machine lets everybody wait.

import type { Browser, Page } from "./browser.ts";

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the thread's own processor time, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const expectedTasks = 10;

export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ["-*", "toplevel"] });
  await work();
  const trace = String(await browser.stopTracing());
  const { traceEvents: events } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const pages = new Set(events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(threadOf));
  const times = events.flatMap((event) => (pages.has(threadOf(event)) && event.tdur !== undefined ? [event.tdur / 1_000] : []));
  if (times.length <= expectedTasks) throw new Error(`only ${times.length} tasks of the page were seen`);
  return times.reduce((longest, each) => Math.max(longest, each));
}
