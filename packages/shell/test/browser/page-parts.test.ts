// What stands around the conversation, in a real browser: attachments, the list of conversations, the choice
// of a model, and the wire view.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { launchOrExplain, type Browser, type Page } from "./browser.ts";
import { startScriptedAgent } from "./scripted-agent.ts";
import { openPageStage, shareShell, type StageOptions } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);
const openOwnStage = (options?: StageOptions) => openPageStage(browser as Browser, options);

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(!browser)("attachments", () => {
  it("come by the picker: their content reaches the agent, and the message shows them", async () => {
    await using stage = await openStage();
    const { page, answers, questions, button, say, untilIdle } = await stage.open();
    const file = join(stage.work, "cargo.txt");
    writeFileSync(file, "forty crates of oranges");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button("Attach files").click()]);
    await chooser.setFiles(file);
    await page.getByRole("list", { name: "Files to send" }).getByText("cargo.txt").waitFor();
    await say("what is in this file?");
    await answers.getByText("forty crates of oranges").waitFor();
    await untilIdle();
    expect(await questions.getByRole("list", { name: "Attachments" }).innerText()).toBe("cargo.txt");
    expect(await page.getByRole("list", { name: "Files to send" }).count()).toBe(0);
  });

  it("come by drop anywhere on the page, and can be taken off again", async () => {
    await using stage = await openStage({ files: { "one.txt": "the first of two", "two.txt": "the second of two" } });
    const { page, answers, button, say, untilIdle } = await stage.open();
    await dropFiles(page, [join(stage.work, "one.txt"), join(stage.work, "two.txt")]);
    const waiting = page.getByRole("list", { name: "Files to send" }).getByRole("listitem");
    await waiting.nth(1).waitFor();
    await button("Remove one.txt").click();
    await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(1);
    await say("what is in this file?");
    await answers.getByText("the second of two").waitFor();
    await untilIdle();
    expect(await answers.getByText("the first of two").count()).toBe(0);
  });

  it("come by paste, and an image is shown in the message, also after a reload", async () => {
    await using stage = await openStage({ view: { permissions: ["clipboard-read", "clipboard-write"] } });
    const { page, box, questions, say, untilIdle } = await stage.open();
    await box.focus();
    await pasteImage(page, onePixel);
    await page.getByRole("button", { name: "Remove image.png" }).waitFor();
    await say("what is this?");
    await untilIdle();
    const image = questions.getByRole("img", { name: "image.png" });
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth), { timeout: 30_000 }).toBe(1);
    await page.reload();
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth), { timeout: 30_000 }).toBe(1);
  });

  it("that are too large say so, and the message can still be sent without them", async () => {
    await using stage = await openStage({ expected: /413/ });
    const { page, answers, questions, button, say } = await stage.open();
    const file = join(stage.work, "big.bin");
    writeFileSync(file, Buffer.alloc(11_000_000));
    await page.locator("input[type=file]").setInputFiles(file);
    await page
      .getByRole("list", { name: "Files to send" })
      .getByText(/larger than/)
      .waitFor();
    await button("Remove big.bin").click();
    await say("what is 2 + 3?");
    await answers.getByText("2 + 3 = 5").waitFor();
    expect(await questions.getByRole("list", { name: "Attachments" }).count()).toBe(0);
  });
});

/** A drag from the desktop, as the browser itself hears of it. */
async function dropFiles(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver"] as const) await session.send("Input.dispatchDragEvent", { type, x: 500, y: 300, data });
  await page.getByText("Drop to attach").waitFor();
  await session.send("Input.dispatchDragEvent", { type: "drop", x: 500, y: 300, data });
  await page.getByText("Drop to attach").waitFor({ state: "detached" });
}

/** Through the clipboard, and by the keys that people press. */
async function pasteImage(page: Page, base64: string): Promise<void> {
  await page.evaluate(async (image) => {
    const bytes = Uint8Array.from(atob(image), (char) => char.charCodeAt(0));
    await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
  }, base64);
  await page.keyboard.press("ControlOrMeta+v");
}

describe.skipIf(!browser)("conversations", () => {
  it("are begun, found by their title, renamed and deleted", async () => {
    await using stage = await openStage();
    const { page, answers, questions, conversations, button, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await untilIdle();
    await button("New conversation").click();
    await page.getByText("no key, no network").waitFor();
    await say("what is 7 * 6?");
    await answers.getByText("7 * 6 = 42").waitFor();
    await conversations.nth(1).waitFor();
    expect(await conversations.allTextContents()).toEqual(["what is 7 * 6?", "what is 1 + 1?"]);

    await button("Rename what is 7 * 6?").click();
    await page.getByRole("textbox", { name: "New title" }).fill("The answer");
    await page.keyboard.press("Enter");
    await conversations.getByText("The answer").waitFor();
    await page.getByRole("heading", { level: 1, name: "The answer" }).waitFor();

    await page.getByRole("searchbox", { name: "Search conversations" }).fill("1 + 1");
    await conversations.getByText("The answer").waitFor({ state: "detached" });
    await conversations.getByText("what is 1 + 1?").click();
    await questions.getByText("what is 1 + 1?").waitFor();
    // Who opens a conversation wants to write: the focus goes there, and a key that clears the search must not go along.
    await page.locator("textarea:focus").waitFor();
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("");

    await button("Delete what is 1 + 1?").click();
    await page.getByRole("dialog", { name: "Delete conversation" }).getByRole("button", { name: "Delete" }).click();
    await conversations.getByText("what is 1 + 1?").waitFor({ state: "detached" });
    await questions.first().waitFor({ state: "detached" });
    await page.goBack();
    await page.reload();
    await conversations.getByText("The answer").waitFor();
    expect(await conversations.count()).toBe(1);
  });

  it("are in the address: back and forward lead from one to the other", async () => {
    await using stage = await openStage();
    const { page, answers, button, say } = await stage.open();
    await say("what is 1 + 1?");
    await answers.getByText("1 + 1 = 2").waitFor();
    await button("New conversation").click();
    await say("what is 7 * 6?");
    await answers.getByText("7 * 6 = 42").waitFor();
    await page.goBack();
    await answers.getByText("1 + 1 = 2").waitFor();
    await page.goForward();
    await answers.getByText("7 * 6 = 42").waitFor();
    expect(await answers.count()).toBe(1);
  });
});

describe.skipIf(!browser)("the choice of a model", () => {
  it("shows what is available, and of the others why not", async () => {
    await using stage = await openStage();
    const { page } = await stage.open();
    await page.getByRole("button", { name: "Model or agent: offline" }).click();
    const list = page.getByRole("listbox", { name: "Model or agent" });
    await list
      .getByRole("option", { name: /^anthropic.*ANTHROPIC_API_KEY is not set/, disabled: true })
      .first()
      .waitFor();
    expect(await list.getByRole("option", { selected: true }).innerText()).toBe("offline");
  });

  it("decides who answers the next message", async () => {
    await using model = await startScriptedAgent([{ text: "I am another one." }]);
    await using stage = await openOwnStage({ ...model.options, model: "offline" });
    const { page, answers, say } = await stage.open();
    await page.getByRole("button", { name: "Model or agent: offline" }).click();
    const option = page.getByRole("option", { name: /^anthropic/, disabled: false }).first();
    const name = await option.innerText();
    await option.click();
    await say("who are you?");
    await answers.getByText("I am another one.").waitFor();
    await answers.getByText(name, { exact: true }).waitFor();
    expect(model.server.requests).toHaveLength(1);
  });
});

describe.skipIf(!browser)("the wire view", () => {
  it("shows the messages of the conversation, decoded and timed; filters them; exports them as NDJSON", async () => {
    await using stage = await openStage({ files: { "notes.txt": "harbour" } });
    const { page, button, say, untilIdle } = await stage.open();
    await say("read the file notes.txt");
    await untilIdle();
    await button("Wire view").click();
    const view = page.getByRole("complementary", { name: "Protocol messages" });
    const rows = view.getByRole("region", { name: "Messages on the wire" }).getByRole("listitem");
    await rows.filter({ hasText: "user_message" }).waitFor();
    expect(await rows.filter({ hasText: "user_message" }).textContent()).toMatch(/sent.*\d+\.\d{3} s.*B$/);

    await view.getByRole("combobox", { name: "Filter by type" }).selectOption("tool_result");
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(1);
    await rows.getByRole("button").first().click();
    await view.getByLabel("Message as JSON", { exact: true }).getByText('"content": "harbour"').waitFor();
    await view.getByRole("combobox", { name: "Filter by type" }).selectOption("");
    await view.getByRole("searchbox", { name: "Filter by text" }).fill("notes.txt");
    await rows.filter({ hasText: "user_message" }).waitFor();
    await rows.filter({ hasText: "ready" }).first().waitFor({ state: "detached" });

    await view.getByRole("searchbox", { name: "Filter by text" }).fill("");
    await rows.filter({ hasText: "done" }).first().waitFor();
    const shown = await rows.count();
    const [download] = await Promise.all([page.waitForEvent("download"), view.getByRole("button", { name: "Export" }).click()]);
    expect(download.suggestedFilename()).toBe("hawser-wire.ndjson");
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\n");
    const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length).toBeGreaterThanOrEqual(shown);
    expect(JSON.stringify(values)).toContain('"kind":"user_message"');
    expect(JSON.stringify(values)).toContain('"type":"done"');
  });
});
