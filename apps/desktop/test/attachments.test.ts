// Files that are attached in the real window: picked, dropped, pasted and refused; read by the agent, and gone with the
// app.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answers, box, button, say, untilIdle, withText } from "./page.ts";
import { stillRunning, treeOf } from "./process-tree.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";
import { keys } from "./web-driver.ts";

const picker = '//input[@aria-label="Files to attach"]';
const waiting = '//ul[@aria-label="Files to send"]/li';
const mine = '//article[@aria-label="You"]';
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const leftover = "data/dev.hawser.desktop/attachments/4194305-killed/1/old.txt";

describe("files that are attached", () => {
  let stage: DesktopStage;
  const kept = (name: string): string[] => globSync(`data/dev.hawser.desktop/attachments/*/*/${name}`, { cwd: stage.folder });
  const modeOf = (path: string): number => statSync(join(stage.folder, path)).mode & 0o777;
  const put = async (body: string, options: string): Promise<unknown> =>
    stage.driver.evaluateAsync(`return await window.__TAURI_INTERNALS__.invoke("file_put", ${body}, ${options})`);

  /** To the clipboard, which a page may write only when somebody has clicked. */
  async function copy(type: string, content: string): Promise<void> {
    const { driver } = stage;
    await driver.evaluate(`
      globalThis.copied = "";
      const item = new ClipboardItem({ "${type}": new Blob([${content}], { type: "${type}" }) });
      const onclick = () => navigator.clipboard.write([item]).then(() => (copied = "yes"), (error) => (copied = String(error)));
      const copier = Object.assign(document.createElement("button"), { id: "copier", textContent: "copy", onclick });
      copier.style.cssText = "position:fixed;top:0;left:0;z-index:9999";
      document.body.append(copier);`);
    await driver.click('//button[@id="copier"]');
    await expect.poll(() => driver.evaluate("return copied"), { timeout: 20_000 }).toBe("yes");
    await driver.evaluate('document.getElementById("copier").remove()');
  }

  beforeAll(async () => {
    stage = await openDesktop({ home: { "letter Ü.txt": "the lighthouse is out of oil\n", [leftover]: "x" } });
    await untilIdle(stage.driver);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("are picked, kept for their owner only, and read by the agent", async () => {
    const { driver, folder } = stage;
    await driver.type(picker, join(folder, "letter Ü.txt"));
    await driver.waitFor(`${withText(waiting, "letter Ü.txt")}[not(contains(., "reading"))]`);
    await say(driver, "what is in the attached file?");
    await driver.waitFor(withText(answers, "the lighthouse is out of oil"));
    await driver.waitFor(withText(mine, "letter Ü.txt"));
    await untilIdle(driver);
    const [path = ""] = kept("letter*");
    expect(path).toMatch(/\/\d+\/letter Ü\.txt$/);
    expect(readFileSync(join(folder, path), "utf8")).toBe("the lighthouse is out of oil\n");
    expect([path, join(path, ".."), join(path, "../..")].map(modeOf)).toEqual([0o600, 0o700, 0o700]);
  });

  it("are dropped, and shown when they are images", async () => {
    const { driver } = stage;
    await driver.evaluate(`
      const bytes = Uint8Array.from(atob("${dot}"), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "dot.png", { type: "image/png" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));`);
    await driver.waitFor(`${withText(waiting, "dot.png")}/img`);
    await say(driver, "what is in the attached picture?");
    await driver.waitFor(`${mine}//img[@alt="dot.png"]`);
    await untilIdle(driver);
    await expect.poll(() => driver.evaluate("return document.querySelector('img[alt=\"dot.png\"]').naturalWidth")).toBe(1);
    expect(readFileSync(join(stage.folder, kept("dot.png")[0] ?? "")).toString("base64")).toBe(dot);
  });

  it("are pasted when they come with the event", async () => {
    const { driver } = stage;
    await driver.evaluate(`
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["the buoy is red\\n"], "buoy.txt", { type: "text/plain" }));
      document.getElementById("message-box").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));`);
    await driver.waitFor(`${withText(waiting, "buoy.txt")}[not(contains(., "reading"))]`);
    await say(driver, "what is in the attached file?");
    await driver.waitFor(withText(answers, "the buoy is red"));
    await untilIdle(driver);
    expect(readFileSync(join(stage.folder, kept("buoy.txt")[0] ?? ""), "utf8")).toBe("the buoy is red\n");
  });

  it("are pasted as pictures from the system's clipboard, of which WebKitGTK's event says nothing; a text stays a text", async () => {
    const { driver } = stage;
    await copy("text/plain", '"only words"');
    await driver.type(box, `${keys.control}v${keys.nothing}`);
    await expect.poll(() => driver.evaluate("return document.getElementById('message-box').value")).toBe("only words");
    expect(await driver.evaluate("return document.querySelectorAll('[aria-label=\"Files to send\"] li').length")).toBe(0);
    await copy("image/png", `Uint8Array.from(atob("${dot}"), (char) => char.charCodeAt(0))`);
    await driver.type(box, `${keys.control}v${keys.nothing}`);
    await driver.waitFor(`${withText(waiting, "image.png")}/img`);
    await driver.click(button("Send"));
    await driver.waitFor(`${withText(mine, "only words")}//img[@alt="image.png"]`);
    await untilIdle(driver);
    expect(
      readFileSync(join(stage.folder, kept("image.png")[0] ?? ""))
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  it("are refused when they are too large, have no name, or are no bytes, and nothing is kept of them", async () => {
    const named = '{ headers: { "x-file-name": "..%2F..%2Fa" } }';
    expect(await put("new Uint8Array(10485761)", named)).toContain("the file is larger than 10485760 bytes");
    expect(await put("new Uint8Array(1)", "{}")).toContain("a file needs its name");
    expect(await put("{ bytes: [1] }", named)).toContain("its bytes as the body");
    expect(kept("a")).toEqual([]);
    // However it is named, it lies where it should.
    expect(await put("new Uint8Array(1)", named)).toMatch(/\/attachments\/[\w-]+\/\d+\/a$/);
    await stage.driver.waitFor(button("Attach files"));
  });

  it("are gone when the app has quit, and what a killed one left when it was started", async () => {
    const { driver, folder } = stage;
    expect(existsSync(join(folder, leftover, "../.."))).toBe(false);
    const tree = treeOf(stage.app().pid);
    await driver.evaluate('void window.__TAURI_INTERNALS__.invoke("quit")').catch(() => {
      // The window may be gone before the driver has an answer.
    });
    await expect.poll(() => stillRunning(tree).length, { timeout: 30_000 }).toBe(0);
    expect(globSync("data/dev.hawser.desktop/attachments/*", { cwd: folder })).toEqual([]);
  });
});
