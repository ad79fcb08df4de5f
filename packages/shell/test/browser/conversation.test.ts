// A conversation in a real browser: the first start, a message, its answer while it is written, tools, questions,
// and what can be done with an answer.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { launchOrExplain, type Browser } from "./browser.ts";
import { shareScriptedShell, startScriptedAgent } from "./scripted-agent.ts";
import { openPageStage, shareShell, type StageOptions } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);
const playScript = shareScriptedShell(browser);
const openOwnStage = (options?: StageOptions) => openPageStage(browser as Browser, options);

describe.skipIf(!browser)("the page", () => {
  it("says on the first start what runs, offers examples that work by a click, and how to connect a real model", async () => {
    await using stage = await openStage();
    const { page, answers, button } = await stage.open();
    await page.getByText("no key, no network").waitFor();
    await button("Open the settings").click();
    await page.getByRole("dialog", { name: "Settings" }).getByRole("form", { name: "Anthropic key" }).waitFor();
    await page.keyboard.press("Escape");
    // The list of models leads there too.
    await page.keyboard.press("Alt+a");
    await page.keyboard.type("anthropic");
    await page
      .getByRole("option", { name: /^anthropic\// })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Settings" }).getByRole("form", { name: "Anthropic key" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText(`uses real tools in ${stage.work}`).waitFor();
    await page.getByLabel("Status", { exact: true }).getByTitle(`The agent works in ${stage.work}`).waitFor();
    await button("call listTags").waitFor();
    await button("what is 12 * 34?").click();
    await answers.getByText("408").waitFor();
    expect(await page.getByText("no key, no network").count()).toBe(0);
  });
});

describe.skipIf(!browser)("what is offered to try", () => {
  it("works, each of it", async () => {
    await using stage = await openStage({ files: { "notes.txt": "x" } });
    const { page, answers, approval, button, untilIdle } = await stage.open();
    const offered = page.getByRole("heading", { name: "Try one of these" }).locator("..").getByRole("button");
    await button("call listTags").waitFor();
    // The last one is of a demo that is not here.
    const names = (await offered.allTextContents()).slice(0, -1);
    const said: string[] = [];
    for (const name of names) {
      await button("New conversation").click();
      await button(name).click();
      if (name.startsWith("write")) await approval.getByRole("button", { name: "Allow once" }).click();
      await answers.getByRole("button", { name: "Retry" }).waitFor();
      await untilIdle();
      said.push(await answers.innerText());
    }
    const expected = [/notes\.txt/, /408/, /hello\.txt now says/, /read_file/, /This is what I understand/];
    expect(said.map((text, at) => expected[at]?.test(text) ?? false)).toEqual(names.map(() => true));
  });
});

describe.skipIf(!browser)("the line at the bottom", () => {
  it("says which model answers, how it stands, what it has used and what that costs, and since when it runs", async () => {
    await using model = await startScriptedAgent([{ text: "Hello.", usage: { input: 1_200, output: 34 } }]);
    await using stage = await openOwnStage(model.options);
    const { page, status, answers, say, untilIdle } = await stage.open();
    // A model that is there needs no words on how to get one.
    await page.getByText("answers with anthropic/scripted").waitFor();
    expect(await page.getByText("To connect a real model").count()).toBe(0);
    await say("hello");
    await answers.getByText("Hello.").waitFor();
    await untilIdle();
    await status.getByText("1.2K in · 34 out · cost not known").waitFor();
    await status.getByTitle(/^The agent runs since .*\d/).waitFor();
    await status.getByTitle(/^1,200 tokens in and 34 out/).waitFor();
    await status.getByRole("button", { name: "Model or agent: anthropic/scripted" }).waitFor();
  });

  it("says what was paid where the configuration has the model's prices", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-prices-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, "agent.json");
    writeFileSync(config, '{"prices":{"anthropic/scripted":{"inputPerMillion":1000,"outputPerMillion":5000}}}');
    await using model = await startScriptedAgent([{ text: "Hello.", usage: { input: 1_200, output: 34 } }]);
    await using stage = await openOwnStage({ ...model.options, args: ["--config", config] });
    const { status, answers, say, untilIdle } = await stage.open();
    await say("hello");
    await answers.getByText("Hello.").waitFor();
    await untilIdle();
    await status.getByText("1.2K in · 34 out · $1.37").waitFor();
    expect(await answers.count()).toBe(1);
  });
});

describe.skipIf(!browser)("a key in the environment", () => {
  it("ends the words on how to get a model, also while the offline one answers, and says where to choose it", async () => {
    await using stage = await openOwnStage({ env: { ANTHROPIC_API_KEY: "sk-not-a-real-key" } });
    const { page } = await stage.open();
    await page.getByText("A real one is available: choose it in the list of models below.").waitFor();
    expect(await page.getByText("To connect a real model").count()).toBe(0);
  });
});

describe.skipIf(!browser)("an MCP server that is broken", () => {
  it("is named in the line at the bottom, with how it stands and the last that is known about it, before anything is asked", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hawser-servers-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, "agent.json");
    writeFileSync(config, JSON.stringify({ mcpServers: { harbour: { command: "/nowhere/harbour-server" } } }));
    await using stage = await openOwnStage({ args: ["--config", config] });
    const { status } = await stage.open();
    const words = status.getByText(/^MCP server "harbour"/);
    await words.waitFor();
    expect(await words.innerText()).toMatch(/^MCP server "harbour" can't be connected to: .*harbour-server/);
  });
});

describe.skipIf(!browser)("a message", () => {
  it("is sent with Enter, and the answer is on the screen while the model still writes", async () => {
    const gate = Promise.withResolvers<void>();
    await using stage = await playScript([{ text: ["The first words", " and more", gate.promise, ", then the **last** ones."] }]);
    const { page, answers, questions, button, say, untilIdle } = await stage.open();
    await say("tell me");
    await questions.getByText("tell me").waitFor();
    await answers.getByText("The first words and more").waitFor();
    expect(await button("Stop").isVisible()).toBe(true);
    await button("Edit and resend").click();
    await page.getByRole("alert").getByText("The agent is still answering.").waitFor();
    gate.resolve();
    await answers.locator("strong", { hasText: "last" }).waitFor();
    await untilIdle();
    expect(await answers.count()).toBe(1);
  });

  it("can be of several lines with Shift+Enter", async () => {
    await using stage = await openStage();
    const { page, box, questions, untilIdle } = await stage.open();
    await box.fill("hello");
    await box.press("Shift+Enter");
    await page.keyboard.type("there");
    expect(await box.inputValue()).toBe("hello\nthere");
    await box.press("Enter");
    await questions.getByText("hello\nthere").waitFor();
    await untilIdle();
    expect(await box.inputValue()).toBe("");
  });

  it("is answered in Markdown: tables, lists and code that can be copied", async () => {
    const text = "| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n```ts\nconst ship = 1;\n```\n\nSee [the site](https://example.com/).";
    await using stage = await playScript([{ text }], { view: { permissions: ["clipboard-read", "clipboard-write"] } });
    const { page, answers, say, untilIdle } = await stage.open();
    await say("show me");
    await untilIdle();
    expect(await answers.getByRole("cell").allTextContents()).toEqual(["1", "2"]);
    expect(await answers.getByRole("listitem").allTextContents()).toEqual(["one", "two"]);
    await answers.getByRole("button", { name: "Copy code" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), { timeout: 30_000 }).toBe("const ship = 1;\n");
    const link = answers.getByRole("link", { name: "the site" });
    expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual(["_blank", "noopener noreferrer"]);
  });
});

describe.skipIf(!browser)("tools", () => {
  it("show a card that opens to the result and to what its title does not say, a file as a file with numbered lines", async () => {
    await using stage = await openStage({ files: { "notes.txt": "first line\nsecond line\n" } });
    const { say, toolCard, untilIdle } = await stage.open();
    await say("read the file notes.txt");
    await untilIdle();
    const card = toolCard("read_file");
    await card.getByRole("button", { expanded: false }).click();
    await card.getByRole("region", { name: "notes.txt" }).getByText("second line").waitFor();
    // The title says the path: it is not said again.
    expect(await card.getByLabel("Input").count()).toBe(0);
    expect(await card.getByRole("button", { expanded: true }).count()).toBe(1);
    expect(await card.getByTitle("How long it took").innerText()).toMatch(/^\d+ ms$|^\d+\.\d s$/);
  });

  it("that fail show the reason on the card", async () => {
    await using stage = await openStage();
    const { say, toolCard } = await stage.open();
    await say("read the file nowhere.txt");
    await toolCard("read_file")
      .getByText(/nowhere\.txt/)
      .nth(1)
      .waitFor();
    await toolCard("read_file").getByText("failed").waitFor();
    expect(await toolCard("read_file").count()).toBe(1);
  });

  it("ask in place before they change something; allowed, it happens", async () => {
    await using stage = await openStage();
    const { approval, say, toolCard, untilIdle } = await stage.open();
    await say('write "good morning" to greeting.txt');
    await approval.getByText("Write 12 characters to greeting.txt").waitFor();
    await approval.getByText("good morning").waitFor();
    expect(existsSync(join(stage.work, "greeting.txt"))).toBe(false);
    await approval.getByRole("button", { name: "Allow once" }).click();
    await untilIdle();
    expect(readFileSync(join(stage.work, "greeting.txt"), "utf8")).toBe("good morning");
    await toolCard("write_file").getByText("done").waitFor();
    expect(await approval.count()).toBe(0);
  });

  it("ask in place before they change something; denied, it does not happen and the answer says so", async () => {
    await using stage = await openStage();
    const { approval, say, toolCard, untilIdle } = await stage.open();
    await say('write "good morning" to greeting.txt');
    await approval.getByRole("button", { name: "Deny" }).click();
    await untilIdle();
    expect(existsSync(join(stage.work, "greeting.txt"))).toBe(false);
    await toolCard("write_file").getByText("denied", { exact: true }).waitFor();
  });

  it("always allowed are not asked about again in this conversation", async () => {
    await using stage = await openStage();
    const { approval, say, untilIdle } = await stage.open();
    await say('write "one" to greeting.txt');
    await approval.getByRole("button", { name: "Always allow" }).click();
    await untilIdle();
    await say('write "two" to greeting.txt');
    await expect.poll(() => readFileSync(join(stage.work, "greeting.txt"), "utf8"), { timeout: 30_000 }).toBe("two");
    await untilIdle();
  });
});

describe.skipIf(!browser)("an answer", () => {
  it("is stopped by the button; what was said is kept, and the model is told", async () => {
    const never = new Promise(() => {});
    await using model = await startScriptedAgent([{ text: ["As I was saying", never] }]);
    await using stage = await openOwnStage(model.options);
    const { answers, button, say, untilIdle } = await stage.open();
    await say("talk");
    await answers.getByText("As I was saying").waitFor();
    await button("Stop").click();
    await answers.getByText("Stopped. What was said until then is kept.").waitFor();
    await untilIdle();
    expect(await answers.getByText("As I was saying").count()).toBe(1);
    await expect.poll(() => model.server.openConnections, { timeout: 30_000 }).toBe(0);
  });

  it("is made again by Retry, in the place of the old one", async () => {
    await using stage = await playScript((_, index) => ({ text: `answer number ${index + 1}` }));
    const { answers, questions, button, say, untilIdle } = await stage.open();
    await say("once");
    await answers.getByText("answer number 1").waitFor();
    await untilIdle();
    await button("Retry").click();
    await answers.getByText("answer number 2").waitFor();
    await untilIdle();
    expect([await questions.count(), await answers.count()]).toEqual([1, 1]);
    const asked = stage.requests.at(-1)?.body as { messages: unknown[] };
    expect(asked.messages).toHaveLength(1);
  });

  it("gives way when its question is edited and sent again, with all that followed", async () => {
    await using stage = await openStage();
    const { page, answers, questions, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await untilIdle();
    await say("what is 2 + 2?");
    await answers.getByText("2 + 2 = 4").waitFor();
    await untilIdle();
    await questions.first().getByRole("button", { name: "Edit and resend" }).click();
    await page.getByRole("textbox", { name: "Edited message" }).fill("what is 3 + 3?");
    await page.getByRole("button", { name: "Send again" }).click();
    await answers.getByText("3 + 3 = 6").waitFor();
    await untilIdle();
    expect([await questions.count(), await answers.count()]).toEqual([1, 1]);
    await page.reload();
    await answers.getByText("3 + 3 = 6").waitFor();
    expect([await questions.count(), await answers.count()]).toEqual([1, 1]);
  });
});
