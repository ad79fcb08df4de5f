// What a user of the chat page waits for: until the page shows something, and until a token that a model
// has said is on the screen. Both with the built page in a real browser, both with a runtime behind it.

import { openShellPage, type ShellPage } from "../peers/shell-page.ts";
import type { TokenOrder } from "../peers/token-order.ts";
import type { Contestant } from "../measure.ts";
import type { Row } from "../row.ts";

const ours = "hawser shell";
const trickle: TokenOrder = { count: 100, chars: 0, pauseMs: 20 };

export const shellPage: Row = {
  name: "Shell page",
  platforms: ["linux"],
  async prepare(context) {
    const page = await openShellPage(context, "agent-stream");
    if (!page) return [];
    return [
      {
        name: "Shell: from opening the address to the first paint of the page",
        work: "a fresh browser profile each time",
        unit: "ms",
        ours,
        contestants: [firstPaint(page)],
        targets: [{ atMost: 500 }],
      },
      {
        name: "Shell: the way of one token, from the model to the screen",
        work: `${trickle.count} tokens, one per ${trickle.pauseMs} ms`,
        unit: "ms",
        ours,
        rounds: (usual) => Math.ceil(usual / 2),
        contestants: [await tokenToScreen(page)],
        targets: [{ atMost: 50 }, { statistic: "p99", atMost: 100 }],
      },
    ];
  },
};

/** The page is drawn by its script: there is nothing to see before it shows what it is for. */
const firstPaint = ({ shell, newContext }: ShellPage): Contestant => ({
  name: ours,
  async round() {
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(shell.newAddress().url);
    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    const ms = await page.evaluate<number>(paintTime);
    await context.close();
    return [ms];
  },
});

/** What was on the screen at which moment; a token is the moment at which it was made. */
interface Seen {
  readonly text: string;
  /** Unix time. */
  readonly at: number;
}

async function tokenToScreen({ shell, newContext }: ShellPage): Promise<Contestant> {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(shell.newAddress().url);
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  const idle = page.getByText("idle", { exact: true });
  await idle.waitFor();
  return {
    name: ours,
    async round() {
      await page.getByRole("button", { name: "New conversation" }).click();
      await page.evaluate(watchAnswer);
      await box.fill(JSON.stringify(trickle));
      await box.press("Enter");
      await page.getByRole("button", { name: "Retry" }).waitFor();
      const seen = await page.evaluate<readonly Seen[]>("seen");
      return toLatencies(seen);
    },
  };
}

// These two run in the page, where there is a DOM; here is none, so they are texts.

const paintTime = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
  }).observe({ type: "paint", buffered: true });
})`;

// A change is made in a frame; what is posted then comes after that frame was drawn.
const watchAnswer = `{
  const seen = (globalThis.seen = []);
  const { port1, port2 } = new MessageChannel();
  let shown = 0;
  port1.onmessage = () => {
    const text = document.querySelector("article[aria-label=Agent] .answer")?.textContent ?? "";
    if (text.length <= shown) return;
    seen.push({ text: text.slice(shown), at: performance.timeOrigin + performance.now() });
    shown = text.length;
  };
  new MutationObserver(() => port2.postMessage(0)).observe(document.body, { childList: true, subtree: true, characterData: true });
}`;

function toLatencies(seen: readonly Seen[]): readonly number[] {
  // One clock for all processes of this machine, and how it stands to Unix time.
  const nowNs = process.hrtime.bigint();
  const nowMs = performance.timeOrigin + performance.now();
  const tokens = new RegExp(`\\d{${String(nowNs).length}}`, "g");
  const latencies = seen.flatMap(({ text, at }) =>
    (text.match(tokens) ?? []).map((token) => at - (nowMs - Number(nowNs - BigInt(token)) / 1e6)),
  );
  if (latencies.length !== trickle.count) throw new Error(`${latencies.length} of ${trickle.count} tokens were on the screen`);
  return latencies;
}
