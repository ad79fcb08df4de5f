// Pictures of the page: with HAWSER_SCREENSHOTS=1 those of the documentation are taken, and with the name of a folder there.

import { join, resolve } from "node:path";
import type { Page } from "./browser.ts";

const wanted = process.env["HAWSER_SCREENSHOTS"] ?? "";
/** Whether somebody wants pictures; what only makes them is skipped otherwise. */
export const wantsPictures = wanted !== "";
export const withoutPictures = "pictures are made only with HAWSER_SCREENSHOTS=1, where there is a browser";
const folder = wanted === "1" ? resolve(import.meta.dirname, "../../../../docs/shell") : wanted;

/** Without the pointer, the caret and what still moves. */
export async function take(page: Page, name: string): Promise<void> {
  if (folder === "") return;
  await page.mouse.move(640, 2);
  await page.screenshot({ path: join(folder, name), animations: "disabled", caret: "hide" });
}

/** Where a picture goes that is not taken of a page. */
export const pathOfPicture = (name: string): string => join(folder, name);

/** For those who want to look at every state; the documentation does not show it. */
export async function takeAside(page: Page, name: string): Promise<void> {
  if (wanted !== "1") await take(page, name);
}
