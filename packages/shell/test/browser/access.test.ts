// How a browser gets to the page and stays there: an address that is good once, a reload, a second tab, and what
// the page says when it has no access.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openBrowser } from "../../../hawser/src/shell/open-browser.ts";
import { launchOrExplain, type Page } from "./browser.ts";
import { shareShell } from "./stage.ts";
import { createTab } from "./tab.ts";

const browser = await launchOrExplain({ apart: true });
afterAll(() => browser?.close());
const openStage = shareShell(browser);

const locked = "Press Enter in the terminal for a new address";
const refused = { expected: /401|WebSocket connection to/ };
const credentialOf = (page: Page): Promise<string | null> => page.evaluate(() => sessionStorage.getItem("hawser-credential"));

/** All addresses that back and forward lead to in this tab. */
const visitedBy = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as { navigation: { entries(): { url: string }[] } }).navigation.entries().map(({ url }) => url));

describe.skipIf(!browser)("the printed address", () => {
  it("G16 lets a page in; its key is gone from the address bar and the tab's history, and what is kept instead is sent nowhere by itself", async () => {
    await using stage = await openStage();
    const { url } = stage.shell.newAddress();
    const key = url.split("#key=", 2)[1] ?? "";
    const { page, say, untilIdle } = await stage.openAgain(url);
    const credential = (await credentialOf(page)) ?? "";
    expect(credential).toMatch(/^[\w-]{43}$/);
    expect(credential).not.toBe(key);
    expect(page.url()).toMatch(new RegExp(`^${stage.origin}/#/c/`));
    expect(JSON.stringify(await visitedBy(page))).not.toContain("key");
    expect(await stage.context.cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toMatch(/[\w-]{43}/);
    const seen: IncomingHttpHeaders[] = [];
    const elsewhere = createServer(({ headers }, response) => (seen.push(headers), response.end("x")));
    await new Promise<void>((listening) => elsewhere.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void elsewhere.close());
    const other = await stage.context.newPage();
    await other.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`cookie|authorization|${key}|${credential}`));
    await say("what is 1 + 1?");
    await untilIdle();
  });

  it("is not needed for a reload, nor for an image of a message after it", async () => {
    await using stage = await openStage();
    const { page, questions, say, status, untilIdle } = await stage.open();
    const credential = await credentialOf(page);
    const image = { name: "dot.png", mimeType: "image/png", buffer: onePixel };
    await page.locator("input[type=file]").setInputFiles(image);
    await say("hello");
    await untilIdle();
    const shown = questions.getByRole("img", { name: "dot.png" });
    await shown.waitFor();
    await page.reload();
    await status.getByText("idle").waitFor();
    await shown.waitFor();
    expect(await shown.getAttribute("src")).toMatch(/^blob:/);
    expect(await shown.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    expect(await credentialOf(page)).toBe(credential);
  });

  it("used a second time lets nobody in, withdraws what the first use gave, and the terminal is told; a new one helps in the same tab", async () => {
    await using stage = await openStage(refused);
    const { url } = stage.shell.newAddress();
    const first = await stage.openAgain(url);
    const second = await stage.openAgain(stage.origin);
    const other = await stage.open();
    const given = [await credentialOf(first.page), await credentialOf(second.page)];
    const before = stage.notices.length;
    // In another browser, as somebody else's would be: no open tab there could let it in.
    const stranger = await browser!.newContext();
    const page = await stranger.newPage();
    await page.goto(url);
    await page.getByText(locked).waitFor();
    await page.getByText("was used before").waitFor();
    expect([await credentialOf(page), page.url()]).toEqual([null, `${stage.origin}/`]);
    await stranger.close();
    expect(stage.notices.slice(before)).toEqual([expect.stringContaining("used a second time")]);
    // A tab of the same browser that came from another address lets them in again.
    for (const { page: tab } of [first, second])
      await expect.poll(async () => [null, ...given].includes(await credentialOf(tab)), { timeout: 30_000 }).toBe(false);
    await other.page.close();
    const again = stage.shell.newAddress().url;
    await first.page.goto(again);
    await first.status.getByText("idle").waitFor();
    await first.page.waitForURL(/#\/c\//);
    expect(JSON.stringify(await visitedBy(first.page))).not.toContain("key");
  });

  it("used a second time in the same browser takes the first page's access for good, and both say what to do", async () => {
    await using stage = await openStage(refused);
    const { url } = stage.shell.newAddress();
    const first = await stage.openAgain(url);
    const second = await stage.visit(url);
    await second.getByText(locked).waitFor();
    await first.page.getByText("press Enter in the terminal for a new address").waitFor();
    expect([await credentialOf(first.page), await credentialOf(second)]).toEqual([null, null]);
    expect(await first.button("Send").isDisabled()).toBe(true);
    await first.page.goto(stage.shell.newAddress().url);
    await first.status.getByText("idle").waitFor();
    // The other one is let in by it.
    await createTab(second).status.getByText("idle").waitFor();
  });
});

describe.skipIf(!browser)("a second tab", () => {
  it("is let in by an open one, with a credential of its own, and both work", async () => {
    await using stage = await openStage();
    const first = await stage.open();
    const second = await stage.openAgain(`${stage.origin}/`);
    expect(await credentialOf(second.page)).toMatch(/^[\w-]{43}$/);
    expect(await credentialOf(second.page)).not.toBe(await credentialOf(first.page));
    await first.page.close();
    await second.page.reload();
    await second.say("what is 1 + 1?");
    await second.answers.getByText("1 + 1 = 2").waitFor();
    await second.untilIdle();
  });

  it("without an open one says to press Enter in the terminal, and is let in as soon as there is one", async () => {
    await using stage = await openStage();
    const waiting = await stage.visit(stage.origin);
    await waiting.getByRole("heading", { name: locked }).waitFor();
    expect(await waiting.getByRole("textbox").count()).toBe(0);
    await stage.open();
    await createTab(waiting).status.getByText("idle").waitFor();
    expect(await credentialOf(waiting)).toMatch(/^[\w-]{43}$/);
  });
});

describe.skipIf(!browser)("the file that leads a browser to the page", () => {
  it("G16 does so without the key in any argument, for this user only, and is gone when it was used", async () => {
    await using stage = await openStage({ expected: /request to file:/ });
    const folder = mkdtempSync(join(tmpdir(), "hawser-opener-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/half' && mv '${folder}/half' '${folder}/argv'\n`, {
      mode: 0o700,
    });
    const address = stage.shell.newAddress();
    const notices: string[] = [];
    const env = { PATH: `${folder}:${process.env["PATH"]}`, DISPLAY: ":0" };
    openBrowser(address, { env, platform: "linux", onNotice: (text) => notices.push(text) });
    await expect.poll(() => existsSync(join(folder, "argv"))).toBe(true);
    const argv = readFileSync(join(folder, "argv"), "utf8").trim();
    expect(argv).toMatch(/^file:\/\/\/\S+$/);
    expect(argv).not.toMatch(/key|127\.0\.0\.1|[\w-]{43}/);
    const file = fileURLToPath(argv);
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    const { page } = await stage.openAgain(argv);
    await address.used;
    await expect.poll(() => existsSync(dirname(file))).toBe(false);
    expect(JSON.stringify(await visitedBy(page))).not.toContain("key");
    expect(notices).toEqual([]);
  });
});

const onePixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
