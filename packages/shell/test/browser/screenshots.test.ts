// The main states of the page in one story: a conversation with a tool card, a question, the wire view. With
// HAWSER_SCREENSHOTS=1 the pictures of the documentation are taken on the way.

import { afterAll, describe, expect, it } from "vitest";
import { launchOrExplain, type Browser } from "./browser.ts";
import { harbour } from "./harbour.ts";
import { take } from "./pictures.ts";
import { openPageStage } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());

describe.skipIf(!browser)("the story of the documentation", () => {
  it("a search with its card open, a change that is asked about, and what passed on the wire", async () => {
    const view = { viewport: { width: 1_280, height: 800 }, colorScheme: "light" as const };
    await using stage = await openPageStage(browser as Browser, { view, files: harbour, root: "/home/ada/harbour-log" });
    const { page, answers, approval, conversations, button, toolCard, say, untilIdle } = await stage.open();
    for (const [at, message] of ["what is 3.4 * 12?", "list the tools", "read the README"].entries()) {
      await say(message);
      await conversations.nth(at).waitFor();
      await untilIdle();
      await button("New conversation").click();
    }
    await say("where is berthFor used?");
    await untilIdle();
    await toolCard("search_files").getByRole("button").first().click();
    await toolCard("search_files").getByText("src/berths.ts:1").waitFor();
    await conversations.nth(3).waitFor();
    await take(page, "conversation.png");

    await button("New conversation").click();
    await say('replace "2.3.0" with "2.4.0" in package.json');
    await approval.getByText("2.4.0").first().waitFor();
    await conversations.nth(4).waitFor();
    const allow = approval.getByRole("button", { name: "Allow once" });
    await allow.and(page.locator(":enabled")).waitFor();
    await take(page, "approval.png");
    await allow.click();
    await untilIdle();
    await answers.getByText("package.json now says").waitFor();

    await button("Wire view").click();
    const wire = page.getByRole("complementary", { name: "Protocol messages" });
    const row = wire.getByRole("listitem").filter({ hasText: "permission_response" });
    await row.getByRole("button").click();
    await wire.getByLabel("Message as JSON", { exact: true }).waitFor();
    await row.evaluate((element) => element.scrollIntoView({ block: "start" }));
    await take(page, "wire-view.png");
    expect(await answers.count()).toBe(1);
  });
});
