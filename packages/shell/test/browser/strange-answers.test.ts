// Answers and tools that nobody would write by hand: nested without end, endless lines, tokens by the ten thousand,
// signs that hide. The page goes on working, and what is asked about is what stands there.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { launchOrExplain } from "./browser.ts";
import { shareScriptedShell } from "./scripted-agent.ts";
import { shareShell } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const photo = {
  content: [
    { type: "text", text: "a pixel" },
    { type: "image", data: onePixel, mimeType: "image/png" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "image", data: onePixel, mimeType: "image/svg+xml" },
  ],
};
const deep: unknown = JSON.parse(`${"[".repeat(100)}1${"]".repeat(100)}`);
const dump = { list: Array.from({ length: 5_000 }, (_, at) => at), deep };

/** The text of a tool that returns this, and may do so without a question. */
const toTool = (name: string, result: unknown): string =>
  `export const ${name} = { name: "${name}", description: "a tool", input: { type: "object" }, annotations: { readOnlyHint: true }, run: () => (${JSON.stringify(result)}) };\n`;

const openStage = shareShell(browser);
const playScript = shareScriptedShell(browser, {
  files: { "tools.mjs": toTool("photo", photo) + toTool("dump", dump) },
  args: ["--tools", "tools.mjs"],
});

const strange = {
  "quotes in quotes": ">".repeat(50_000),
  "brackets without end": "[".repeat(50_000),
  "a table of a thousand columns": `|${"a|".repeat(1_000)}\n|${"-|".repeat(1_000)}\n${"|x|\n".repeat(500)}`,
  "a line of a million letters": "x".repeat(1_000_000),
  "a million lines": "\n".repeat(1_000_000),
  "letters that turn around": `${"\u202e\u2066".repeat(500)} end`,
};

// Many times what any list of the page holds.
const tokens = process.env["HAWSER_LONG"] ? 100_000 : 8_000;

describe.skipIf(!browser)("an answer", () => {
  it("of any kind is shown, and the next one is drawn as usual", async () => {
    const texts = Object.values(strange);
    await using stage = await playScript((_, index) => ({ text: index < texts.length ? (texts[index] ?? "") : "All **well**." }));
    const { page, answers, say, untilIdle } = await stage.open();
    for (const name of Object.keys(strange)) {
      await say(name);
      await untilIdle();
    }
    await say("and now?");
    await answers.last().locator("strong", { hasText: "well" }).waitFor();
    await page.reload();
    await answers.last().locator("strong", { hasText: "well" }).waitFor();
    expect(await answers.count()).toBe(texts.length + 1);
  }, 400_000);

  it(`of ${tokens} tokens is shown to its end, and the page can be used meanwhile`, async () => {
    const half = Promise.withResolvers<void>();
    async function* endlessly(): AsyncGenerator<string> {
      for (let at = 1; at <= tokens; at++) {
        if (at === tokens / 2) await half.promise;
        yield at % 20 === 0 ? `word${at}\n` : `word${at} `;
      }
    }
    await using stage = await playScript([{ text: endlessly }]);
    const { answers, box, say, untilIdle } = await stage.open();
    await say("talk");
    await answers.getByText("word20", { exact: false }).first().waitFor();
    await box.fill("typed meanwhile");
    expect(await box.inputValue()).toBe("typed meanwhile");
    half.resolve();
    await answers.getByText(`word${tokens}`).waitFor({ timeout: 250_000 });
    await untilIdle();
    const shown = (await answers.textContent())?.match(/word\d+/g);
    expect(shown).toHaveLength(tokens);
    expect(shown?.every((word, at) => word === `word${at + 1}`)).toBe(true);
  }, 400_000);
});

describe.skipIf(!browser)("a question", () => {
  it("shows what hides in it, and nothing of it stands out of sight", async () => {
    const content = `safe${" ".repeat(2_000)}hidden to the right\u202e and turned`;
    const input = { path: "notes\u202etxt.exe", content };
    await using stage = await playScript([{ calls: [{ id: "call-1", name: "write_file", input }] }, { text: "Done." }]);
    const { approval, answers, say } = await stage.open();
    await say("write");
    await approval.getByText('to "notes⟨U+202E⟩txt.exe"').waitFor();
    const change = approval.getByRole("region", { name: "New content of notes⟨U+202E⟩txt.exe" });
    expect(await change.innerText()).toContain("hidden to the right⟨U+202E⟩ and turned");
    expect(await change.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1);
    expect(await approval.innerText()).not.toContain("\u202e");
    await approval.getByRole("button", { name: "Allow once" }).click();
    await answers.getByText("Done.").waitFor();
    expect(readFileSync(join(stage.work, "notes\u202etxt.exe"), "utf8")).toBe(content);
  });

  it("does not take a click that was meant for the one before", async () => {
    const call = (id: string) => ({ calls: [{ id, name: "write_file", input: { path: `${id}.txt`, content: "x" } }] });
    await using stage = await playScript([call("one"), call("two"), { text: "Done." }]);
    const { page, approval, answers, say } = await stage.open();
    await say("write both");
    await approval.getByText("one.txt").first().waitFor();
    // As soon as the second question stands there, before anybody can have read it.
    await page.evaluate(() =>
      new MutationObserver((_, observer) => {
        const question = document.querySelector("[role=group][aria-label^=Permission]");
        if (!question?.textContent?.includes("two.txt")) return;
        // Once: whatever changes later on the page is no such moment.
        observer.disconnect();
        question.querySelector<HTMLElement>("button.button-main")?.click();
      }).observe(document.body, { childList: true, subtree: true }),
    );
    await approval.getByRole("button", { name: "Allow once" }).click();
    await approval.getByText("two.txt").first().waitFor();
    await approval.getByRole("button", { name: "Deny" }).click();
    await answers.getByText("Done.").waitFor();
    expect(() => readFileSync(join(stage.work, "two.txt"))).toThrow("ENOENT");
  });
});

describe.skipIf(!browser)("a tool's result", () => {
  it("shows images with their texts, and those that are none as words", async () => {
    await using stage = await playScript([{ calls: [{ id: "call-1", name: "photo", input: {} }] }, { text: "Done." }]);
    const { answers, say, toolCard } = await stage.open();
    await say("take one");
    await answers.getByText("Done.").waitFor();
    await toolCard("photo").getByRole("button").first().click();
    const image = toolCard("photo").getByRole("img", { name: "From the tool" });
    await expect.poll(() => image.first().evaluate((element: HTMLImageElement) => element.naturalWidth), { timeout: 30_000 }).toBe(1);
    await toolCard("photo").getByText("An image that can't be read.").waitFor();
    await toolCard("photo").getByText("An image that is not shown: image/svg+xml").waitFor();
    expect(await image.count()).toBe(1);
  });

  it("that is nested deep, or long, opens piece by piece", async () => {
    await using stage = await playScript([{ calls: [{ id: "call-1", name: "dump", input: {} }] }, { text: "Done." }]);
    const { answers, say, toolCard } = await stage.open();
    await say("dump");
    await answers.getByText("Done.").waitFor();
    await toolCard("dump").getByRole("button").first().click();
    await toolCard("dump").getByText("Show more (4900 left)").click();
    await toolCard("dump").getByText("Show more (4800 left)").waitFor();
    expect(await toolCard("dump").locator("details[open]").count()).toBeLessThan(6);
  });
});

describe.skipIf(!browser)("what can't be drawn", () => {
  it("takes nothing else with it: a message is shown as text, and a page offers to load itself again", async () => {
    await using stage = await openStage({ files: { "notes.txt": "harbour" }, expected: /broken on purpose|could not be|error occurred/i });
    const { page, answers, button, toolCard, say, untilIdle, status } = await stage.open();
    await say("read the file notes.txt");
    await untilIdle();
    await page.evaluate(() => {
      const replace = Function.prototype.call.bind(String.prototype.replace) as (text: string, ...given: unknown[]) => string;
      // oxlint-disable-next-line no-extend-native -- the page is to break where it draws this text
      String.prototype.replace = function (this: string, ...given: unknown[]): string {
        if (this.valueOf() === "harbour") throw new Error("broken on purpose");
        return replace(this, ...given);
      } as typeof String.prototype.replace;
    });
    await toolCard("read_file").getByRole("button").first().click();
    await answers.first().waitFor({ state: "detached" });
    await page.getByRole("log").getByText("harbour").waitFor();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await page.evaluate(() => {
      globalThis.matchMedia = () => {
        throw new Error("broken on purpose");
      };
    });
    await button("Keys").click();
    await page.getByRole("heading", { name: "The page could not be drawn" }).waitFor();
    await page.getByRole("button", { name: "Load it again" }).click();
    await status.getByText("idle").waitFor();
    await answers.getByText("1 + 1 = 2").waitFor();
    expect(await answers.count()).toBe(2);
  });
});
