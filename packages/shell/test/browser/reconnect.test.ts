// What happens when something breaks off in the middle: a reload, a runtime that is killed, a shell that is
// gone, a second tab. Nothing is lost, nothing is doubled, and the page says what happened.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Script } from "../../../../test/kit/models/scripted-server.ts";
import { launchOrExplain, type Browser, type Page } from "./browser.ts";
import { shareScriptedShell, startScriptedAgent } from "./scripted-agent.ts";
import { openPageStage, shareShell, type StageOptions } from "./stage.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());
const openStage = shareShell(browser);
const playScript = shareScriptedShell(browser);
const openOwnStage = (options?: StageOptions) => openPageStage(browser as Browser, options);

describe.skipIf(!browser)("a reload in the middle of a turn", () => {
  it("loses nothing and doubles nothing: what was said, the tool, and what comes after", async () => {
    const gate = Promise.withResolvers<void>();
    const script: Script = [
      { text: "Looking around.", calls: [{ id: "call-1", name: "list_files", input: { path: "." } }] },
      { text: ["I found ", "one file", gate.promise, ", and that is all."] },
    ];
    await using stage = await playScript(script, { files: { "notes.txt": "x" } });
    const { page, answers, questions, toolCard, say, untilIdle } = await stage.open();
    await say("look");
    await answers.getByText("I found one file").waitFor();
    await page.reload();
    await answers.getByText("I found one file").waitFor();
    await page.reload();
    await answers.getByText("I found one file").waitFor();
    gate.resolve();
    await answers.getByText("I found one file, and that is all.").waitFor();
    await untilIdle();
    expect([await questions.count(), await answers.count(), await toolCard("list_files").count()]).toEqual([1, 1, 1]);
    const text = (await answers.innerText()).replaceAll(/\s+/g, " ");
    expect([text.split("Looking around.").length, text.split("I found one file").length]).toEqual([2, 2]);
    expect(stage.requests).toHaveLength(2);
  });

  it("keeps a question that waits, and it can be answered then", async () => {
    await using stage = await openStage();
    const { page, approval, say, untilIdle } = await stage.open();
    await say('write "later" to note.txt');
    await approval.waitFor();
    await page.reload();
    await approval.getByRole("button", { name: "Allow once" }).click();
    await untilIdle();
    expect(readFileSync(join(stage.work, "note.txt"), "utf8")).toBe("later");
  });
});

describe.skipIf(!browser)("a connection that is lost in the middle of a turn", () => {
  it("is made again by itself, and what was said meanwhile is there, once", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const cuts: (() => Promise<void>)[] = [];
    const comeBack = Promise.withResolvers<void>();
    const preparePage = (page: Page): Promise<void> =>
      page.routeWebSocket(/\/link$/, async (socket) => {
        if (cuts.length > 0) await comeBack.promise;
        socket.connectToServer();
        cuts.push(() => socket.close());
      });
    const script = [{ text: ["Before. ", gates[0].promise, "Meanwhile. ", gates[1].promise, "After."] }];
    await using stage = await playScript(script, { preparePage });
    const { page, answers, questions, say, untilIdle } = await stage.open();
    await say("talk");
    await answers.getByText("Before.").waitFor();
    await cuts[0]?.();
    await page.getByText("The shell is not connected.").waitFor();
    gates[0].resolve();
    comeBack.resolve();
    await answers.getByText("Before. Meanwhile.").waitFor();
    gates[1].resolve();
    await answers.getByText("Before. Meanwhile. After.", { exact: true }).waitFor();
    await untilIdle();
    expect([await questions.count(), await answers.count()]).toEqual([1, 1]);
  });
});

describe.skipIf(!browser)("a connection that is lost with an answer", () => {
  it("leaves the question open, and it can be answered again", async () => {
    let cuts = 0;
    const preparePage = (page: Page): Promise<void> =>
      page.routeWebSocket(/\/link$/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((message) => {
          if (message.includes('"permission_response"') && cuts++ === 0) void socket.close();
          else server.send(message);
        });
      });
    await using stage = await playScript(
      [{ calls: [{ id: "call-1", name: "write_file", input: { path: "later.txt", content: "later" } }] }, { text: "Written." }],
      { preparePage },
    );
    const { page, approval, answers, say, untilIdle } = await stage.open();
    await say("write");
    await approval.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("The answer may not have arrived").waitFor();
    await approval.getByRole("button", { name: "Allow once" }).click();
    await answers.getByText("Written.").waitFor();
    await untilIdle();
    expect([cuts, readFileSync(join(stage.work, "later.txt"), "utf8")]).toEqual([2, "later"]);
  });
});

describe.skipIf(!browser)("a runtime that is killed in the middle of a turn", () => {
  it("is started again; the page says so, keeps the conversation, and goes on", async () => {
    const never = new Promise(() => {});
    await using model = await startScriptedAgent((_, index) =>
      index === 0 ? { text: ["Half a sentence", never] } : { text: "Here I am again." },
    );
    // The new runtime may be there before the page has drawn that the old one is gone: what comes after that waits.
    const isSeen = Promise.withResolvers<void>();
    const preparePage = (page: Page): Promise<void> =>
      page.routeWebSocket(/\/link$/, (socket) => {
        let passed = Promise.resolve();
        socket.connectToServer().onMessage((message) => {
          passed = passed.then(() => socket.send(message));
          if (message.includes('"runtime":"restarting"')) passed = passed.then(() => isSeen.promise);
        });
      });
    await using stage = await openOwnStage({ ...model.options, preparePage });
    const { page, answers, questions, box, say, untilIdle } = await stage.open();
    await say("talk");
    await answers.getByText("Half a sentence").waitFor();
    const pid = stage.agentPid();
    await box.fill("a draft");
    process.kill(pid as number, "SIGKILL");
    await page.getByText("The agent ended and is being restarted").waitFor();
    await answers.getByText("This answer ended early").waitFor();
    isSeen.resolve();
    await untilIdle();
    expect(await box.inputValue()).toBe("a draft");
    await say("go on");
    await answers.getByText("Here I am again.").waitFor();
    await untilIdle();
    expect(stage.agentPid()).not.toBe(pid);
    expect([await questions.count(), await answers.count()]).toEqual([2, 2]);
    await page.reload();
    await answers.getByText("Here I am again.").waitFor();
    expect([await questions.count(), await answers.count()]).toEqual([2, 2]);
  });
});

describe.skipIf(!browser)("a shell that has ended", () => {
  it("is said, with what happens next; what is on the screen stays", async () => {
    await using stage = await openOwnStage({ expected: /WebSocket connection to|net::ERR_CONNECTION_REFUSED/ });
    const { page, answers, button, say, untilIdle } = await stage.open();
    await say("what is 1 + 1?");
    await untilIdle();
    await stage.shell.stop();
    await page.getByText("The shell is not connected.").waitFor();
    await button("Try now").waitFor();
    expect(await answers.getByText("1 + 1 = 2").isVisible()).toBe(true);
    expect(await button("Send").isDisabled()).toBe(true);
  });
});

describe.skipIf(!browser)("two tabs on one conversation", () => {
  it("show the same, whichever of them speaks, while it is said", async () => {
    const gate = Promise.withResolvers<void>();
    await using stage = await playScript([{ text: "The first answer." }, { text: ["The second", gate.promise, " answer."] }]);
    const one = await stage.open();
    await one.say("first");
    await one.answers.getByText("The first answer.").waitFor();
    await one.untilIdle();
    const two = await stage.openAgain(one.page.url());
    await two.answers.getByText("The first answer.").waitFor();
    await two.say("second");
    await one.questions.getByText("second").waitFor();
    await Promise.all([one, two].map(({ answers }) => answers.getByText("The second").waitFor()));
    gate.resolve();
    await Promise.all([one, two].map(({ answers }) => answers.getByText("The second answer.").waitFor()));
    await Promise.all([one.untilIdle(), two.untilIdle()]);
    for (const { questions, answers } of [one, two]) {
      expect(await questions.locator("p").allTextContents()).toEqual(["first", "second"]);
      expect(await answers.count()).toBe(2);
    }
  });

  it("show the same when the second comes in the middle of an answer", async () => {
    const gate = Promise.withResolvers<void>();
    await using stage = await playScript([{ text: ["One. ", "Two. ", gate.promise, "Three."] }]);
    const one = await stage.open();
    await one.say("count");
    await one.answers.getByText("One. Two.").waitFor();
    const two = await stage.openAgain(one.page.url());
    await two.answers.getByText("One. Two.").waitFor();
    gate.resolve();
    // What was sent again for the second tab passes the first one too.
    await Promise.all([one, two].map(({ answers }) => answers.getByText("One. Two. Three.", { exact: true }).waitFor()));
    await Promise.all([one.untilIdle(), two.untilIdle()]);
    for (const { questions, answers } of [one, two]) expect([await questions.count(), await answers.count()]).toEqual([1, 1]);
  });

  it("ask in both, and an answer in one settles both", async () => {
    await using stage = await openStage();
    const one = await stage.open();
    await one.say("what is 1 + 1?");
    await one.untilIdle();
    const two = await stage.openAgain(one.page.url());
    await one.say('write "x" to shared.txt');
    await one.approval.waitFor();
    await two.approval.getByRole("button", { name: "Deny" }).click();
    await Promise.all([one, two].map(({ approval }) => approval.waitFor({ state: "detached" })));
    await Promise.all([one.untilIdle(), two.untilIdle()]);
    expect(existsSync(join(stage.work, "shared.txt"))).toBe(false);
  });
});
