// Every dialog and panel as other people see it: in the dark, 400 px wide, at twice the size, without motion, and by a screen reader's rules
// (axe). One browser and one shell lead through all of them; each look of a state costs a moment.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { pageScrolls, violations } from "./accessible.ts";
import { launchOrExplain, type Browser, type Locator, type Page } from "./browser.ts";
import { harbour } from "./harbour.ts";
import { takeAside } from "./pictures.ts";
import { startScriptedAgent } from "./scripted-agent.ts";
import { openPageStage } from "./stage.ts";
import type { Tab } from "./tab.ts";

const browser = await launchOrExplain();
afterAll(() => browser?.close());

const wide = { width: 1_100, height: 800 };
const narrow = { width: 400, height: 740 };
// As a browser zooms to 200 %: half as many pixels of the page.
const zoomed = { width: 550, height: 400 };
const looks = [
  { name: "dark", size: wide, colorScheme: "dark", rules: "of colours" },
  { name: "narrow", size: narrow, colorScheme: "light", rules: "all" },
  { name: "zoomed", size: zoomed, colorScheme: "light", rules: "none" },
] as const;

/** What reaches out of the window to its sides, or says more than it has room for. */
const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const top = document.querySelector("dialog:modal") ?? document.body;
    const seen = [...top.querySelectorAll<HTMLElement>("button, input, textarea, select, summary, h2, h3, h4, legend, label")].filter(
      (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[inert], .sr-only, [role=region][tabindex]"),
    );
    return seen.flatMap((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      const isOutside = width > 1 && (left < -1 || right > innerWidth + 1);
      const isCut = element.matches("button, select, summary, h2, h3, h4") && element.scrollWidth > element.clientWidth + 1;
      return isOutside || isCut ? [`${isOutside ? "outside" : "cut off"}: ${element.outerHTML.slice(0, 160)}`] : [];
    });
  });

/** What is laid out wrongly, and stays so: the page follows a new size of its window with its next frame, or after a few on a busy machine. */
async function wrongInLayout(page: Page): Promise<readonly string[]> {
  for (let tries = 1; ; tries++) {
    const wrong = [...(await cutOff(page)), ...((await pageScrolls(page)) ? ["the page itself scrolls"] : [])];
    if (wrong.length === 0 || tries === 50) return wrong;
    await sleep(100);
  }
}

const moving = (page: Page): Promise<number> => page.evaluate(() => document.getAnimations().length);

const rightToLeft = "## מפרש\n\nמפרש הוא בד שהרוח ממלאת, כמו `sail` באנגלית:\n\n- מפרש ראשי\n- חלוץ";
const edit = { path: "src/berths.ts", oldText: "depth + depth > draught", newText: "depth + depth > draught + 0.5" };
const longName = `${"a-name-without-any-space-".repeat(4)}.txt`;

interface Walk {
  readonly tab: Tab;
  readonly work: string;
  look(state: string, there: Locator, open?: () => Promise<void>): Promise<void>;
  leave(dialog: Locator): Promise<void>;
  dialogOf(name: string): Locator;
  /** Lets the model say the rest. */
  goOn(): void;
}

/** What is found goes into `found`, by state and look. */
function createWalk({ tab, work, goOn }: Pick<Walk, "tab" | "work" | "goOn">, found: Record<string, readonly string[]>): Walk {
  const { page } = tab;

  /** `open`: of what leaves when the window changes its size. */
  async function look(state: string, there: Locator, open?: () => Promise<void>): Promise<void> {
    await there.waitFor();
    for (const { name, size, colorScheme, rules } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      if (open && size.width !== wide.width) await open();
      await there.waitFor();
      const wrong = [...(await wrongInLayout(page))];
      if (rules !== "none") wrong.push(...(await violations(page, rules === "all" ? undefined : rules)));
      if ((await moving(page)) > 0) wrong.push("something moves");
      found[`${state}, ${name}`] = wrong;
      await takeAside(page, `look-${state.replaceAll(" ", "-")}-${name}.png`);
    }
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: "light" });
    await takeAside(page, `look-${state.replaceAll(" ", "-")}-wide.png`);
  }
  async function leave(dialog: Locator): Promise<void> {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  const dialogOf = (name: string): Locator => page.getByRole("dialog", { name });
  return { tab, work, goOn, look, leave, dialogOf };
}

async function walkDialogs({ tab, work, look, leave, dialogOf }: Walk): Promise<void> {
  const { page } = tab;
  await look("first minute", page.getByText("Try one of these"));
  await page.keyboard.press("Alt+/");
  await look("keys", dialogOf("Keys"));
  await leave(dialogOf("Keys"));
  const picker = page.getByRole("button", { name: /^Model or agent:/ });
  await picker.click();
  await look("picker", page.getByRole("option").first(), async () => {
    await page.getByRole("option").first().waitFor({ state: "detached" });
    await picker.click();
  });
  await page.keyboard.press("Alt+o");
  await dialogOf("Folder to work in").getByLabel("Path of a folder").fill(`${work}/s`);
  await look("projects", dialogOf("Folder to work in").getByRole("button", { name: /src/ }));
  await leave(dialogOf("Folder to work in"));

  await page.keyboard.press("Alt+Comma");
  const settings = dialogOf("Settings");
  await settings.getByRole("button", { name: /^Edit a-name/ }).click();
  await settings.getByRole("button", { name: "Edit agent mine" }).click();
  await settings.getByText("Add a server with OpenAI's interface").click();
  await settings.getByText("Add an agent").click();
  await settings.getByRole("button", { name: "Add a rule" }).click();
  const name = settings.getByRole("form", { name: "OpenAI key" });
  await name.getByLabel("OpenAI").fill("not a key");
  await name.getByRole("button", { name: "Save key" }).click();
  await look("settings and keys", name.getByText(/can't be a key/));
  await settings.getByRole("heading", { name: "MCP servers" }).scrollIntoViewIfNeeded();
  await look("servers", settings.getByRole("form", { name: /^Edit server/ }));
  await settings.getByRole("heading", { name: "Agents" }).scrollIntoViewIfNeeded();
  await look("agents", settings.getByRole("form", { name: /^Edit agent/ }));
  await leave(settings);
}

async function walkTurns({ tab, look, goOn }: Walk): Promise<void> {
  const { page, answers, approval, box, button, say, untilIdle } = tab;
  await say("make the berths deeper");
  await approval.waitFor();
  await box.fill("in metres, please, and with the tide of the day in mind");
  await box.press("Control+Enter");
  await page.getByRole("list", { name: "Waiting" }).getByText("in metres").waitFor();
  await look("approval and steer", approval.getByRole("button", { name: "Allow once" }).and(page.locator(":enabled")));
  await button("Take back: in metres, please, and with the tide of the day in mind").click();
  await approval.getByRole("button", { name: "Allow once" }).click();
  await answers.getByText("חלוץ").waitFor();
  await untilIdle();
  await look("right to left", answers.getByText("חלוץ"));

  await say("read a file that is not there");
  await answers.getByText("One moment").waitFor();
  await say(`and then ${longName}`);
  await look("failed tool and queue", page.getByRole("list", { name: "Waiting" }));
  // What is looked at above without motion does move where the system has nothing against it.
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(() => moving(page), { timeout: 30_000 }).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  goOn();
  await look("error", answers.last().getByText("no ship leaves"));
  await untilIdle();
}

async function walkAround({ tab, look, leave, dialogOf }: Walk): Promise<void> {
  const { page, answers, box, button } = tab;
  await page.keyboard.press("Alt+r");
  await look("review", dialogOf("Changes").getByRole("group", { name: "Change in src/berths.ts" }));
  await dialogOf("Changes").getByText("Side by side").click();
  await look("review side by side", dialogOf("Changes").getByRole("group", { name: "Change in src/berths.ts" }));
  await leave(dialogOf("Changes"));
  await box.fill("/instructions");
  await box.press("Escape");
  await box.press("Enter");
  await look("instructions", dialogOf("Instructions in force").getByText(/AGENTS\.md$/));
  await leave(dialogOf("Instructions in force"));
  await answers.first().hover();
  await answers.first().getByRole("button", { name: "Fork" }).click();
  await tab.conversations.nth(1).waitFor();
  await look("fork", answers.getByText("חלוץ"));
  await tab.conversations.first().focus();
  await page.keyboard.press("Delete");
  await look("delete", dialogOf("Delete conversation"), async () => {
    // The dialog leaves with the list that was beside it, which becomes a drawer.
    if (page.viewportSize()?.width === zoomed.width) return;
    await dialogOf("Delete conversation").waitFor({ state: "detached" });
    await button("Show conversations").click();
    await tab.conversations.first().focus();
    await page.keyboard.press("Delete");
  });
  await leave(dialogOf("Delete conversation"));
  await page.setViewportSize(narrow);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.setViewportSize(wide);
  await button("Wire view").click();
  await look("wire view", page.getByRole("complementary", { name: "Protocol messages" }));
  await button("Close wire view").click();
}

describe.skipIf(!browser)("every state", () => {
  it("fits and reads well in the dark, 400 px wide, at twice the size and without motion, and axe finds nothing", async () => {
    const gate = Promise.withResolvers<void>();
    await using agent = await startScriptedAgent([
      { calls: [{ id: "call-1", name: "edit_file", input: edit }] },
      { text: rightToLeft },
      { calls: [{ id: "call-2", name: "read_file", input: { path: longName } }] },
      { text: ["One moment", gate.promise, "."] },
      { status: 400, body: { error: { type: "invalid_request_error", message: "the harbour is closed:\n  no ship leaves" } } },
    ]);
    const files = { ...harbour, "AGENTS.md": "Speak plainly.\n" };
    const broken = { [longName.slice(0, 60)]: { command: "no-such-program-anywhere", args: [longName], env: { TOKEN: "x" } } };
    const agents = { mine: { command: "my-agent", args: [longName] } };
    await using stage = await openPageStage(browser as Browser, {
      ...agent.options,
      files,
      args: ["--trust"],
      expected: /WebSocket|ERR_/,
      async prepare({ work }) {
        await mkdir(join(dirname(work), "hawser"));
        await writeFile(join(dirname(work), "hawser", "agent.json"), JSON.stringify({ mcpServers: broken, agents }));
      },
    });
    const tab = await stage.open();
    const found: Record<string, readonly string[]> = {};
    const walk = createWalk({ tab, work: stage.work, goOn: gate.resolve }, found);
    await walkDialogs(walk);
    await walkTurns(walk);
    await walkAround(walk);
    await stage.shell.stop();
    await walk.look("not connected", tab.status.getByText("not connected"));
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((state) => [state, []])));
  });
});
