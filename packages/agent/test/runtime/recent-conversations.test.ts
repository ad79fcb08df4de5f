// Conversations that stay open between two turns, as their lock files tell.

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createFileStore } from "../../src/history/file-store.ts";
import { agentLimits } from "../../src/limits.ts";
import { createRecentConversations } from "../../src/runtime/recent-conversations.ts";
import { user } from "../history/messages.ts";
import { temporaryFolder } from "../history/stores.ts";

test("the largest conversation stays open, so that it isn't read again for each turn, until another one is used", async () => {
  const folder = temporaryFolder();
  const conversations = createRecentConversations(createFileStore({ folder, onNotice: () => {} }));
  const locked = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".lock"));
  const text = "x".repeat(4_000_000);
  const fill = (conversationId: string): Promise<void> =>
    conversations.use(conversationId, async (conversation) => {
      for (let at = 0; at < 5; at++) await conversation.add(user(`m${at}`, text));
      expect(conversation.bytes).toBeGreaterThan(agentLimits.maxConversationBytes * 0.75);
    });

  await fill("one");
  expect(locked()).toEqual([expect.stringContaining("one")]);
  await conversations.use("two", async () => expect(locked()).toEqual([expect.stringContaining("two")]));
  await fill("three");
  expect(locked()).toEqual([expect.stringContaining("three")]);
  await conversations.close();
  expect(locked()).toEqual([]);
});
