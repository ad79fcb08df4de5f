// Whether a page is for everybody: what axe finds, whether the page itself scrolls, and going somewhere by Tab.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import { expect } from "vitest";
import type { Page } from "./browser.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, in one line each. Its source is evaluated from outside, where the page's policy does not reach. */
export async function violations(page: Page, rules?: "of colours"): Promise<readonly string[]> {
  // A colour in the middle of its change is no colour of the page.
  await page.evaluate(async () => {
    const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(passing.map(({ finished }) => finished));
  });
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const options: axe.RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: ["color-contrast", "link-in-text-block"] }) };
  const results = await page.evaluate((given) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, given), options);
  return results.violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** The lists inside the page scroll up and down; the page itself never does, in no direction. */
export const pageScrolls = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const frame = [document.documentElement, ...document.querySelectorAll("#page > div, main, header")];
    const isWide = [...frame, ...document.querySelectorAll("[role=log]")].some((element) => element.scrollWidth > element.clientWidth + 1);
    return isWide || frame.some((element) => element.scrollHeight > element.clientHeight + 1);
  });

/** Presses a key until the focus is where it should be; a trap or a gap in the order ends it. */
export async function tabTo(page: Page, key: string, isThere: () => boolean): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if (await page.evaluate(isThere)) return;
    await page.keyboard.press(key);
  }
  expect.fail("the focus never came there");
}
