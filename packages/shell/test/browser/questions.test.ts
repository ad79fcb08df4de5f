// G17 in a real browser: what is typed never answers a question. An answer is a click, a button that the user
// went to, or a shortcut with a modifier, which answers the one question that is on the screen.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ScriptedCall, ScriptedRequest, ScriptedStep } from "../../../../test/kit/models/scripted-server.ts";
import { launchOrExplain } from "./browser.ts";
import { shareScriptedShell } from "./scripted-agent.ts";
import type { Tab } from "./tab.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-questions-"));
const config = join(folder, "agent.json");
// Calls that only read run side by side: so there can be two questions at once.
writeFileSync(config, JSON.stringify({ permissions: [{ tool: "read_file", decision: "ask" }] }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const browser = await launchOrExplain();
afterAll(() => browser?.close());
const playScript = shareScriptedShell(browser, { args: ["--config", config] });

const writing: ScriptedCall = { id: "w", name: "write_file", input: { path: "asked.txt", content: "x" } };
const reading = (name: string): ScriptedCall => ({ id: name, name: "read_file", input: { path: `${name}.txt` } });
const lastWords = ({ body }: ScriptedRequest): string => JSON.stringify((body as { messages: unknown[] }).messages.at(-1));

/** Until then answers don't count, so that nothing that was meant for something else does. */
async function untilItListens({ page, approval }: Tab): Promise<void> {
  await approval.getByRole("button", { name: "Deny" }).and(page.locator(":enabled")).first().waitFor();
}

describe.skipIf(!browser)("typing", () => {
  // With every letter that once was an answer, and every one that is one now together with a modifier.
  const sentence = "why do you want to write always, and not ask? xyz";

  it.each(["", "a draft: "])(
    "G17 a sentence that is typed while a question appears decides nothing; the box had %j in it",
    async (draft) => {
      const asks = Promise.withResolvers<void>();
      const script = async (request: ScriptedRequest): Promise<ScriptedStep> => {
        if (lastWords(request).includes("tool_result")) return { text: "Denied, I see." };
        if (lastWords(request).includes("xyz")) return { text: "Because you asked." };
        await asks.promise;
        return { calls: [writing] };
      };
      await using stage = await playScript(script);
      const tab = await stage.open();
      const { page, box, answers, approval, questions, say, untilIdle } = tab;
      await say("write");
      await page.keyboard.type(draft + sentence.slice(0, 20));
      asks.resolve();
      await approval.waitFor();
      await page.keyboard.type(sentence.slice(20, 30));
      await untilItListens(tab);
      await page.keyboard.type(sentence.slice(30));
      expect(await box.inputValue()).toBe(draft + sentence);
      expect(await page.locator("textarea:focus").count()).toBe(1);
      // Enter sends what was written, and the question is still open.
      await page.keyboard.press("Enter");
      await questions.getByText(sentence).waitFor();
      await page.keyboard.press("Enter");
      expect([await box.inputValue(), await approval.count(), stage.decisions()]).toEqual(["", 1, []]);
      expect(existsSync(join(stage.work, "asked.txt"))).toBe(false);
      await page.keyboard.press("Alt+x");
      await answers.getByText("Because you asked.").waitFor();
      await untilIdle();
      await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([["deny", "shortcut"]]);
      expect(existsSync(join(stage.work, "asked.txt"))).toBe(false);
    },
  );
});

describe.skipIf(!browser)("an open question", () => {
  it("is what the page waits for: it says so and not that it works, also where another tool waits behind it", async () => {
    await using stage = await playScript([{ calls: [writing, { ...writing, id: "v" }] }, { text: "Both denied." }]);
    const tab = await stage.open();
    const { page, approval, answers, conversations, status, say, untilIdle } = tab;
    await say("write");
    for (const count of [1, 2]) {
      await approval.waitFor();
      await status.getByText("asks you", { exact: true }).waitFor();
      await conversations.getByRole("img", { name: "asks you" }).waitFor();
      expect([count, await answers.getByText("Working…").count(), await page.getByText("working", { exact: true }).count()]).toEqual([
        count,
        0,
        0,
      ]);
      await untilItListens(tab);
      await approval.getByRole("button", { name: "Deny" }).click();
    }
    await answers.getByText("Both denied.").waitFor();
    await untilIdle();
  });
});

describe.skipIf(!browser)("a shortcut", () => {
  it("G17 answers the first of two questions only, once, however long it is held; there is none for always", async () => {
    const files = { "one.txt": "1", "two.txt": "2" };
    await using stage = await playScript([{ calls: [reading("one"), reading("two")] }, { text: "Read." }], { files });
    const tab = await stage.open();
    const { page, approval, answers, toolCard, say } = tab;
    const { keyboard } = page;
    const keysOf = (at: number) =>
      approval
        .nth(at)
        .getByRole("button")
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-keyshortcuts")));
    await say("read both");
    await approval.nth(1).waitFor();
    await untilItListens(tab);
    expect([await keysOf(0), await keysOf(1)]).toEqual([
      ["Alt+Y", null, "Alt+X"],
      [null, null, null],
    ]);
    await keyboard.down("Alt");
    // The second and the third come as repetitions of a key that is held.
    for (let count = 0; count < 3; count++) await keyboard.down("y");
    await approval.nth(1).waitFor({ state: "detached" });
    for (let count = 0; count < 3; count++) await keyboard.down("y");
    await keyboard.up("y");
    await untilItListens(tab);
    await keyboard.down("y");
    await keyboard.up("y");
    await keyboard.up("Alt");
    await answers.getByText("Read.").waitFor();
    await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([
      ["allow", "shortcut"],
      ["allow", "shortcut"],
    ]);
    expect(await toolCard("read_file").count()).toBe(2);
  });

  it("G17 shows a question that has scrolled away, and answers it only when it is seen", async () => {
    const long = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n\n");
    await using stage = await playScript([{ text: long, calls: [writing] }, { text: "Written." }]);
    const tab = await stage.open();
    const { page, approval, answers, button, say } = tab;
    await say("write");
    await untilItListens(tab);
    const deny = approval.getByRole("button", { name: "Deny" });
    const log = page.getByRole("log");
    // As a person scrolls: in the direction of the beginning, which also ends the following of what is new.
    await log.hover();
    await page.mouse.wheel(0, -100_000);
    await button(/Jump to latest/).waitFor();
    const isSeen = () => deny.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
    expect(await isSeen()).toBe(false);
    await page.keyboard.press("Alt+y");
    await expect.poll(isSeen, { timeout: 30_000 }).toBe(true);
    expect(stage.decisions()).toEqual([]);
    await page.keyboard.press("Alt+y");
    await answers.getByText("Written.").waitFor();
    await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([["allow", "shortcut"]]);
  });

  it("always is a click, and the card says afterwards what that covers", async () => {
    await using stage = await playScript([{ calls: [writing] }, { text: "Written." }]);
    const { approval, answers, toolCard, say } = await stage.open();
    await say("write");
    await approval.getByRole("button", { name: "Always allow" }).click();
    await answers.getByText("Written.").waitFor();
    await expect.poll(stage.decisions, { timeout: 30_000 }).toEqual([["allow_always", "click"]]);
    await toolCard("write_file").getByRole("button").first().click();
    await toolCard("write_file")
      .getByText(/You chose to always allow this\..*covers write_file on asked\.txt, in this conversation/)
      .waitFor();
  });

  it("is answered from any open page: the first answer counts, and the other page says that it was given elsewhere", async () => {
    const again = { ...writing, id: "call-2", input: { path: "again.txt", content: "y" } };
    await using stage = await playScript([{ calls: [writing] }, { calls: [again] }, { text: "Written." }]);
    const one = await stage.open();
    await one.say("write");
    await one.approval.waitFor();
    const other = await stage.openAgain(one.page.url());
    await untilItListens(other);
    await other.approval.getByRole("button", { name: "Allow once" }).click();
    const first = one.toolCard("write_file").first();
    await first.getByText("Allowed once on another page.").waitFor();
    await other.toolCard("write_file").first().getByRole("button").first().click();
    await other.toolCard("write_file").first().getByText("You allowed this once.").waitFor();

    // Both at once, and not of one mind.
    await Promise.all([untilItListens(one), untilItListens(other)]);
    // Clicked where they are: the later click may find that its question is gone, and would wait for another one.
    const buttons = await Promise.all([
      one.approval.getByRole("button", { name: "Allow once" }).elementHandle(),
      other.approval.getByRole("button", { name: "Deny" }).elementHandle(),
    ]);
    await Promise.all(buttons.map((button) => button?.evaluate((element) => (element as HTMLElement).click())));
    await Promise.all([one.answers.getByText("Written.").waitFor(), other.answers.getByText("Written.").waitFor()]);
    await expect.poll(() => stage.decisions().length, { timeout: 30_000 }).toBe(2);
    const [, [decision] = []] = stage.decisions();
    const [winner, loser] = decision === "allow" ? [one, other] : [other, one];
    const said =
      decision === "allow" ? ["You allowed this once.", "Allowed once on another page."] : ["You denied this.", "Denied on another page."];
    await loser
      .toolCard("write_file")
      .last()
      .getByText(said[1] ?? "")
      .waitFor();
    await winner.toolCard("write_file").last().getByRole("button").first().click();
    await winner
      .toolCard("write_file")
      .last()
      .getByText(said[0] ?? "")
      .waitFor();
  });
});
