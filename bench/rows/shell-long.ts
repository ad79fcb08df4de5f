// What a user of the chat page waits for when much has been said: until a conversation of ten thousand messages is on the screen, how
// long the page can't react while it is scrolled through, and while a tool's result of ten megabytes comes and is opened.

import { openShellPage, type ShellPage } from "../peers/shell-page.ts";
import { largeResultChars, longConversation } from "../peers/long-past.ts";
import { longestTask } from "../../packages/shell/test/browser/longest-task.ts";
import type { Contestant } from "../measure.ts";
import type { Row } from "../row.ts";

const ours = "hawser shell";

export const shellLong: Row = {
  name: "Shell long",
  platforms: ["linux"],
  async prepare(context) {
    const page = await openShellPage(context, "agent-history");
    if (!page) return [];
    const rounds = (usual: number): number => Math.ceil(usual / 2);
    return [
      {
        name: "Shell: opening a long conversation, from the click to its last message on the screen",
        work: `${longConversation.messages} messages`,
        unit: "ms",
        ours,
        rounds,
        contestants: [opening(page)],
        targets: [{ atMost: 1_000 }],
      },
      {
        name: "Shell: the longest task of the page while the long conversation is scrolled",
        work: "to the beginning, 30 turns of the wheel, to the end; processor time",
        unit: "ms",
        ours,
        rounds,
        contestants: [scrolling(page)],
        targets: [{ atMost: 50 }],
      },
      {
        name: "Shell: the longest task of the page while a large result comes and is opened",
        work: `${largeResultChars / 1e6} MB; processor time`,
        unit: "ms",
        ours,
        rounds,
        contestants: [largeResult(page)],
        targets: [{ atMost: 200 }],
      },
    ];
  },
};

async function openTab({ shell, newContext }: ShellPage) {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(shell.newAddress().url);
  await page.getByText("idle", { exact: true }).waitFor();
  const link = (title: string) => page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: title });
  return { context, page, link };
}

const opening = (shellPage: ShellPage): Contestant => ({
  name: ours,
  async round() {
    const { context, page, link } = await openTab(shellPage);
    await link("A long one").waitFor();
    const ms = await page.evaluate<number>(untilShown);
    await context.close();
    return [ms];
  },
});

// In the page, where the click and the frame are; here is no DOM, so it is a text.
const untilShown = `new Promise((resolve) => {
  const from = performance.now();
  const look = () => {
    const last = [...document.querySelectorAll("article[aria-label=Agent]")].at(-1);
    if (last?.textContent.includes("message ${longConversation.messages} ")) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
    else requestAnimationFrame(look);
  };
  [...document.querySelectorAll("nav a")].find((link) => link.textContent === "A long one").click();
  look();
})`;

const scrolling = (shellPage: ShellPage): Contestant => ({
  name: ours,
  async round() {
    const { context, page, link } = await openTab(shellPage);
    await link("A long one").click();
    await page.getByText(`message ${longConversation.messages} `).waitFor();
    const log = page.getByRole("log");
    await log.hover();
    const ms = await longestTask(shellPage.browser, page, async () => {
      await page.evaluate("document.querySelector('[role=log]').scrollTop = 0");
      await page.getByText("message 1", { exact: true }).waitFor();
      for (let turn = 0; turn < 30; turn++) {
        await page.mouse.wheel(0, 600);
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
      }
      await page.evaluate("document.querySelector('[role=log]').scrollTop = 1e9");
      await page.getByText(`message ${longConversation.messages} `).waitFor();
    });
    await context.close();
    return [ms];
  },
});

const largeResult = (shellPage: ShellPage): Contestant => ({
  name: ours,
  async round() {
    const { context, page, link } = await openTab(shellPage);
    const ms = await longestTask(shellPage.browser, page, async () => {
      await link("A large one").click();
      await page.getByText("That is the log.").waitFor();
      await page.getByRole("region", { name: "Tool read_file" }).getByRole("button").first().click();
      await page.getByRole("region", { name: "harbour.log" }).waitFor();
      await page.getByRole("button", { name: /^Show more/ }).click();
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
    });
    await context.close();
    return [ms];
  },
});
