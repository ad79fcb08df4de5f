// The page in the window, by what a user sees of it.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { keys, type WebDriver } from "./web-driver.ts";

export const box = '//textarea[@aria-label="Message"]';
export const status = '//*[@aria-label="Status"]';
export const answers = '//article[@aria-label="Agent"]';
export const approval = '//*[@role="group" and starts-with(@aria-label, "Permission needed")]';
export const button = (name: string): string => `//button[@aria-label="${name}" or normalize-space()="${name}"]`;
export const toolCard = (name: string): string => `//section[@aria-label="Tool ${name}"]`;
export const settingsDialog = '//dialog[@aria-label="Settings"]';
export const field = (label: string): string => `${settingsDialog}//*[@id=//label[normalize-space()="${label}"]/@for]`;
export const withText = (xpath: string, text: string): string => `${xpath}[contains(., ${JSON.stringify(text)})]`;

export const untilIdle = (driver: WebDriver): Promise<void> => driver.waitFor(withText(status, "idle"));

export async function say(driver: WebDriver, text: string): Promise<void> {
  await driver.type(box, text);
  await driver.type(box, keys.enter);
  await driver.waitFor(withText('//article[@aria-label="You"]', text.split('"', 1)[0] ?? ""));
}

const pictures = resolve(import.meta.dirname, "../../../docs/desktop");

/** For the documentation, when it is asked for. */
export async function take(driver: WebDriver, name: string): Promise<void> {
  if (process.env["HAWSER_SCREENSHOTS"] === "1") writeFileSync(join(pictures, name), await driver.screenshot());
}
