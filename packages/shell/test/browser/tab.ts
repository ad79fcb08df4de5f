// One tab of the page, by what a user sees of it: names and roles, never classes.

import type { Locator, Page } from "./browser.ts";

export interface Tab {
  readonly page: Page;
  readonly box: Locator;
  readonly status: Locator;
  /** All answers, and all messages of the user. */
  readonly answers: Locator;
  readonly questions: Locator;
  readonly approval: Locator;
  readonly conversations: Locator;
  button(name: string | RegExp): Locator;
  toolCard(toolName: string): Locator;
  /** Types a message, sends it by key once it can be sent, and sees it in the conversation: its turn has begun. */
  say(text: string): Promise<void>;
  /** Resolves when nothing runs any more. */
  untilIdle(): Promise<void>;
}

export function createTab(page: Page): Tab {
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  const status = page.getByLabel("Status", { exact: true });
  const sendButton = page.getByRole("button", { name: "Send", exact: true });
  const questions = page.getByRole("article", { name: "You" });
  return {
    page,
    box,
    status,
    answers: page.getByRole("article", { name: "Agent" }),
    questions,
    approval: page.getByRole("group", { name: /^Permission needed/ }),
    conversations: page.getByRole("navigation", { name: "Conversations" }).getByRole("link"),
    button: (name) => page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name }),
    toolCard: (toolName) => page.getByRole("region", { name: `Tool ${toolName}` }),
    async say(text) {
      const before = await questions.count();
      await box.fill(text);
      // Not before files have been read, nor while the agent is away: Enter would do nothing.
      await sendButton.and(page.locator(":enabled")).waitFor();
      await box.press("Enter");
      await questions.nth(before).waitFor();
    },
    untilIdle: () => status.getByText("idle", { exact: true }).waitFor(),
  };
}
