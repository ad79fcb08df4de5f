// What must not be felt: a layout that jumps while an answer is written, a result of ten megabytes, and a search whose index is not
// complete yet. In a real browser.

import { join } from "node:path";
import { createFileStore } from "@hawser/agent";
import { afterAll, describe, expect, it } from "vitest";
import { openAgentStage } from "./agent-stage.ts";
import { launchOrExplain, type Browser } from "./browser.ts";
import { longestTask } from "./longest-task.ts";
import { openPageStage } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());

describe.skipIf(!browser)("an answer that is written", () => {
  it("moves nothing that stands on the screen already: thought, plan, tool, code and its end", async () => {
    await using stage = await openAgentStage(browser as Browser);
    const { page, answers, say, untilIdle } = await stage.open();
    await say("fix it");
    const turn = await stage.puppet.nextTurn();
    // In Chromium's own measure of what moved without a user's doing.
    await page.evaluate(`
      globalThis.shifts = [];
      new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value); })
        .observe({ type: "layout-shift", buffered: false });`);
    const words = Array.from({ length: 40 }, (_, at) => `word${at} `);
    turn.say({ type: "reasoning", data: { text: "First I look." } });
    for (const part of [
      ["Here:\n\n", "```ts\n", "const a", " = 1;\n", "```\n\n"],
      words,
      ["| a | b |\n", "| - | - |\n", "| 1 | 2 |\n\n"],
      ["The end."],
    ]) {
      for (const token of part) turn.say({ type: "token", token });
      await answers.getByText(part.at(-1)?.trim() === "The end." ? "The end." : /Here:/).waitFor();
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    }
    turn.end();
    await untilIdle();
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    const moved = (await page.evaluate("shifts.reduce((sum, each) => sum + each, 0)")) as number;
    // The thought folds when the answer begins, which is a quarter of a tenth; a whole page is called good below one tenth.
    expect(moved).toBeLessThan(0.05);
  });
});

async function writeLargeResult(folder: string): Promise<void> {
  const store = createFileStore({ folder: join(folder, "conversations"), onNotice: () => {} });
  const conversation = await store.open("large");
  const content = "09:14 the schooner Marianne at berth 4\n".repeat(240_000);
  await conversation.add({ messageId: "m1", role: "user", parts: [{ type: "text", text: "read the log" }], timestamp: 1 });
  const use = { toolId: "t", toolName: "read_file" };
  await conversation.add({
    messageId: "m2",
    role: "assistant",
    timestamp: 2,
    parts: [
      { type: "tool_use", ...use, input: { path: "harbour.log" } },
      { type: "tool_result", ...use, result: { path: "harbour.log", content, offset: 1 } },
      { type: "text", text: "That is the log." },
    ],
  });
  await conversation.finish("m2");
  await store.close();
}

describe.skipIf(!browser)("a result of 9 MB", () => {
  it("is opened, and shown further, without a stall", async () => {
    await using stage = await openPageStage(browser as Browser, { prepare: ({ data }) => writeLargeResult(data) });
    const { page, conversations, answers, toolCard } = await stage.open();
    let best = Infinity;
    // The best of a few rounds counts: a page that blocks by itself does so in each of them.
    for (let round = 0; round < 3 && best > 500; round++) {
      await page.reload();
      const blocked = await longestTask(browser as Browser, page, async () => {
        await conversations.first().click();
        await answers.getByText("That is the log.").waitFor();
        await toolCard("read_file").getByRole("button").first().click();
        await page.getByRole("region", { name: "harbour.log" }).waitFor();
        await page.getByRole("button", { name: /^Show more/ }).click();
      });
      best = Math.min(best, blocked);
    }
    expect(best).toBeLessThan(500);
    await page.getByRole("button", { name: /^Show more \(\d+,\d+ lines left\)/ }).waitFor();
  });
});

describe.skipIf(!browser)("a search", () => {
  it("that has not read all conversations says so, and goes on by itself; one that fails says why; Escape leaves it and stops no answer", async () => {
    await using stage = await openAgentStage(browser as Browser);
    const { page, say } = await stage.open();
    await say("hello");
    const turn = await stage.puppet.nextTurn();
    const match = {
      conversationId: "c",
      title: "Tides",
      messageId: "m",
      role: "user" as const,
      timestamp: 1,
      excerpt: "… the high tide …",
    };
    stage.puppet.found = [{ matches: [], pending: 30 }, { matches: [match], pending: 1 }, { matches: [match] }];
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("tide");
    const results = page.getByRole("region", { name: "Found in messages" });
    await results.getByText("No message has these words. 30 conversations are still being read.").waitFor();
    await results.getByText("1 message in 1 conversation. 1 conversation is still being read.").waitFor();
    await results.getByText("1 message in 1 conversation.", { exact: true }).waitFor();
    stage.puppet.found = [];
    // Other words, and Enter before they were searched for: what was found for the earlier ones is not meant.
    await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("#conversation-search");
      field?.focus();
      field?.setRangeText("s", 4, 4);
      field?.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => setTimeout(done));
      field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    });
    await results.getByText("Messages can't be searched: the index can't be read").waitFor();
    expect(stage.puppet.asked("load_conversation").filter(({ conversationId }) => conversationId === "c")).toEqual([]);
    await page.keyboard.press("Escape");
    await results.waitFor({ state: "detached" });
    expect(stage.puppet.asked("cancel")).toEqual([]);
    // The next one is for the answer.
    await page.keyboard.press("Escape");
    await expect.poll(() => stage.puppet.asked("cancel").length, { timeout: 30_000 }).toBe(1);
    turn.end();
    expect(stage.puppet.asked("search_conversations").map(({ query }) => query)).toEqual(["tide", "tide", "tide", "tides"]);
  });
});
