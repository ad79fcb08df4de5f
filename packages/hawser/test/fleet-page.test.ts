// The chat page of a fleet, as its user sees it: `hawser shell --fleet` in a real browser, with runtimes on other machines, one of which
// is killed in the middle of a turn.

import { afterAll, beforeEach, expect, it } from "vitest";
import { openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { launchOrExplain, type Browser } from "../../shell/test/browser/browser.ts";
import { createTab } from "../../shell/test/browser/tab.ts";
import { openRig, weld } from "./fleet-rig.ts";
import { makeFolder, start } from "./run-hawser.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
beforeEach(skipWithoutServer);

it.skipIf(!browser)("the page of a fleet answers, says that a turn's machine was lost, and goes on with another machine", async () => {
  const { address } = await openServer();
  const rig = await openRig(address);
  const first = await rig.runtime();
  const folder = makeFolder("shell");
  const shell = start(["shell", "--fleet", address, "--no-open"], { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder });
  const context = await (browser as Browser).newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  try {
    const page = await context.newPage();
    const thrown: string[] = [];
    page.on("pageerror", ({ message }) => thrown.push(message));
    await page.goto((await shell.printed("\n")).trim());
    const { answers, say, untilIdle } = createTab(page);
    await say("what is 12 * 34?");
    await answers.getByText("408").waitFor();
    await say(weld("deck", true));
    expect(await rig.held("deck")).toBe(first.process.pid);
    await rig.runtime();
    first.process.kill("SIGKILL");
    await page.getByText("is in the conversation").first().waitFor();
    await untilIdle();
    await say(weld("hatch"));
    await answers.getByText("seam hatch is welded").first().waitFor();
    await untilIdle();
    expect(rig.runs().map((run) => run.split(" ")[0])).toEqual(["deck", "hatch"]);
    expect(thrown).toEqual([]);
  } finally {
    await context.close();
    shell.process.kill("SIGTERM");
    await shell.ended;
    await rig.close();
  }
});
