// The moving picture of the README: a request, a question with the change it is about, the answer, and the review that takes it back.
// Made only when it is wanted, as those of gallery.test.ts.

import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toAnimatedPng, type Frame } from "./animated-png.ts";
import { launchOrExplain, type Page } from "./browser.ts";
import { harbour } from "./harbour.ts";
import { pathOfPicture, wantsPictures, withoutPictures } from "./pictures.ts";
import { shareScriptedShell } from "./scripted-agent.ts";

const browser = wantsPictures ? await launchOrExplain() : undefined;
afterAll(() => browser?.close());
const playScript = shareScriptedShell(browser, { root: "/home/ada/harbour-log" });
const maxBytes = 2_000_000;

const said =
  "Ships now need **half a metre** of water below the keel:\n\n- `berthFor` asks for `draught + 0.5`\n- nothing else uses the depth\n";

async function* slowly(text: string): AsyncGenerator<string> {
  for (const word of text.split(/(?<= )/)) {
    yield word;
    await wait(60);
  }
}

describe("the picture of the README", () => {
  beforeEach(({ skip }) => skip(!browser, withoutPictures));

  it("shows a change that is asked about, made, reviewed and taken back", async () => {
    const line = "return berths.find((berth) => berth.depth + depth > draught";
    const change = { path: "src/berths.ts", oldText: `${line});`, newText: `${line} + 0.5);` };
    const script = [
      { text: "I look where a berth is chosen.", calls: [{ id: "c1", name: "read_file", input: { path: "src/berths.ts" } }] },
      { calls: [{ id: "c2", name: "edit_file", input: change }] },
      { text: () => slowly(said) },
    ];
    const view = { viewport: { width: 880, height: 560 }, colorScheme: "light" as const };
    await using stage = await playScript(script, { view, files: harbour });
    const { page, box, approval, answers, say, untilIdle } = await stage.open();
    const frames: Frame[] = [];
    const keep = async (showMs: number): Promise<void> => void frames.push({ png: await shoot(page), showMs });
    const request = "leave half a metre of water below the keel";
    await box.fill("");
    await keep(700);
    for (const length of [11, 26, request.length]) {
      await box.fill(request.slice(0, length));
      await keep(250);
    }
    await say(request);
    const allow = approval.getByRole("button", { name: "Allow once" });
    await allow.and(page.locator(":enabled")).waitFor();
    await keep(2_200);
    await allow.click();
    for (const words of ["below the", "asks for", "nothing else"]) {
      await answers.getByText(words).last().waitFor();
      await keep(350);
    }
    await untilIdle();
    await keep(1_400);
    await page.keyboard.press("Alt+r");
    const dialog = page.getByRole("dialog", { name: "Changes" });
    await dialog.getByRole("group", { name: /^Change in/ }).waitFor();
    await dialog.getByText("Side by side").click();
    await keep(2_000);
    await dialog.getByRole("button", { name: /^Take back src/ }).click();
    await dialog.getByText("changed, taken back").waitFor();
    await keep(2_000);
    const picture = toAnimatedPng(frames);
    expect(picture.length).toBeLessThan(maxBytes);
    writeFileSync(pathOfPicture("story.png"), picture);
  });
});

const shoot = (page: Page): Promise<Buffer> => page.screenshot({ animations: "disabled", caret: "hide" });
