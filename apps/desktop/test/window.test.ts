// The window and what shows and hides it: the menu of the tray icon, its close button, and its size, which is
// the same after the next start.

import { expect, it } from "vitest";
import { pressCloseButton } from "./close-button.ts";
import { untilIdle } from "./page.ts";
import { stillRunning, treeOf } from "./process-tree.ts";
import { holdName, pressTrayMenu } from "./session-bus.ts";
import { openDesktop, type DesktopStage } from "./stage.ts";

const visibility = ({ driver }: DesktopStage): Promise<unknown> => driver.evaluate("return document.visibilityState");
const patience = { timeout: 30_000 };

it("the menu of the tray icon hides it, shows it, and quits without a trace", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const tree = treeOf(stage.app().pid);
  pressTrayMenu(stage.env, "Hide");
  await expect.poll(() => visibility(stage), patience).toBe("hidden");
  pressTrayMenu(stage.env, "Show");
  await expect.poll(() => visibility(stage), patience).toBe("visible");
  pressTrayMenu(stage.env, "Quit");
  await expect.poll(() => stillRunning(tree), patience).toEqual([]);
});

it("closing hides it where there is a tray, and a second start shows it again", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const tray = await holdName(stage.env["DBUS_SESSION_BUS_ADDRESS"] ?? "", "org.kde.StatusNotifierWatcher");
  try {
    await pressCloseButton(stage.env["DISPLAY"] ?? "", "Hawser");
    await expect.poll(() => visibility(stage), patience).toBe("hidden");
    expect(stage.runtime()).toBeDefined();
    expect(await stage.startAgain()).toBe(0);
    await expect.poll(() => visibility(stage), patience).toBe("visible");
  } finally {
    tray.destroy();
  }
});

it("closing quits where there is no tray that could bring it back", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const tree = treeOf(stage.app().pid);
  await pressCloseButton(stage.env["DISPLAY"] ?? "", "Hawser");
  await expect.poll(() => stillRunning(tree), patience).toEqual([]);
});

it("has the size after a restart that it had before", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const size = (driver: DesktopStage["driver"]): Promise<unknown> => driver.evaluate("return [innerWidth, innerHeight].join()");
  expect(await size(stage.driver)).not.toBe("731,602");
  await stage.driver.setSize(731, 602);
  await expect.poll(() => size(stage.driver), { timeout: 20_000 }).toBe("731,602");
  const tree = treeOf(stage.app().pid);
  process.kill(stage.app().pid, "SIGTERM");
  await expect.poll(() => stillRunning(tree), patience).toEqual([]);
  await stage.driver.end().catch(() => {});
  const driver = await stage.reopen();
  try {
    await expect.poll(() => size(driver), { timeout: 20_000 }).toBe("731,602");
  } finally {
    await driver.end().catch(() => {});
  }
});
