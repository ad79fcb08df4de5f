// The life of the app: its runtime may die, it is started twice, it quits; nothing is lost and nothing left.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answers, box, say, untilIdle, withText } from "./page.ts";
import { listProcesses, stillRunning, treeOf } from "./process-tree.ts";
import { openDesktop } from "./stage.ts";
import { keys } from "./web-driver.ts";

it("a runtime that is killed comes back, the page says so, and the conversation goes on", async () => {
  await using stage = await openDesktop();
  const { driver } = stage;
  await untilIdle(driver);
  await say(driver, "what is 2 + 3?");
  await driver.waitFor(withText(answers, "2 + 3 = 5"));
  const before = stage.runtime() ?? expect.fail("there is no runtime");
  process.kill(before.pid, "SIGKILL");
  await driver.waitFor(withText('//*[@role="status"]', "being restarted"));
  await untilIdle(driver);
  await expect.poll(() => stage.runtime()?.pid, { timeout: 30_000 }).toBeTypeOf("number");
  expect(stage.runtime()?.pid).not.toBe(before.pid);
  await driver.waitForNone(withText('//*[@role="status"]', "being restarted"));
  await say(driver, "what is 20 + 22?");
  await driver.waitFor(withText(answers, "20 + 22 = 42"));
  await driver.waitFor(withText(answers, "2 + 3 = 5"));
});

it("a turn that runs when the runtime dies ends with a reason, and does not hang", async () => {
  await using stage = await openDesktop();
  const { driver } = stage;
  await untilIdle(driver);
  await say(driver, 'write "x" to x.txt');
  await driver.waitFor(withText("//main", "asks you"));
  process.kill((stage.runtime() ?? expect.fail("there is no runtime")).pid, "SIGKILL");
  await untilIdle(driver);
  await driver.waitForNone(withText("//section", "asks you"));
  expect(existsSync(join(stage.work, "x.txt"))).toBe(false);
});

it("a second start ends at once, and shows the first one's window", async () => {
  await using stage = await openDesktop();
  const { driver } = stage;
  await untilIdle(driver);
  const { pid } = stage.app();
  expect(await stage.startAgain()).toBe(0);
  expect(await driver.windows()).toHaveLength(1);
  const apps = listProcesses().filter(({ program }) => program === stage.app().program);
  expect(apps.map((facts) => facts.pid)).toEqual([pid]);
  expect(treeOf(pid).filter(({ command }) => command.includes("hawser.cjs agent"))).toHaveLength(1);
  await untilIdle(driver);
});

it("quits by its key, in the middle of a question too, and leaves no process", async () => {
  await using stage = await openDesktop();
  const { driver } = stage;
  await untilIdle(driver);
  await say(driver, 'write "x" to x.txt');
  await driver.waitFor(withText("//main", "asks you"));
  const tree = treeOf(stage.app().pid);
  expect(tree.length).toBeGreaterThan(2);
  await driver.type(box, `${keys.control}q${keys.nothing}`).catch(() => {
    // The window may be gone before the driver has an answer.
  });
  await expect.poll(() => stillRunning(tree).map(({ command }) => command), { timeout: 30_000 }).toEqual([]);
  expect(existsSync(join(stage.work, "x.txt"))).toBe(false);
});

it("an app that is killed leaves no runtime: its input has ended", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const runtime = stage.runtime() ?? expect.fail("there is no runtime");
  process.kill(stage.app().pid, "SIGKILL");
  await expect.poll(() => stillRunning([runtime]).length, { timeout: 30_000 }).toBe(0);
});

it("a runtime that an app left behind all the same is ended by the next one", async () => {
  await using stage = await openDesktop();
  await untilIdle(stage.driver);
  const runtime = stage.runtime() ?? expect.fail("there is no runtime");
  // Stopped, it does not see the end of its input.
  process.kill(runtime.pid, "SIGSTOP");
  process.kill(stage.app().pid, "SIGKILL");
  void stage.startAgain();
  await expect.poll(() => stillRunning([runtime]).length, { timeout: 60_000 }).toBe(0);
  await expect
    .poll(() => listProcesses().some(({ command }) => command.includes(stage.folder) && command.includes("hawser.cjs agent")), {
      timeout: 30_000,
    })
    .toBe(true);
});
