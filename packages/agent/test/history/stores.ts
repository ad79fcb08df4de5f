// Histories for the tests, each in a fresh folder that goes with its test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversationMessage } from "@hawser/protocol";
import { onTestFinished } from "vitest";
import type { ConversationStore } from "../../src/history/conversation-store.ts";
import { toFileName } from "../../src/history/conversation-files.ts";
import { createFileStore } from "../../src/history/file-store.ts";
import type { StoreLimits } from "../../src/history/conversation-store.ts";
import { answer, lostResult, text, toolResult, toolUse, user } from "./messages.ts";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-history-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface StoreInFolder {
  readonly store: ConversationStore;
  readonly folder: string;
  readonly notices: string[];
  /** The journal of a conversation. */
  fileOf(conversationId: string): string;
}

export function storeIn(folder: string, limits?: Partial<StoreLimits>): StoreInFolder {
  const notices: string[] = [];
  const store = createFileStore({ folder, onNotice: (message) => notices.push(message), limits });
  onTestFinished(() => store.close());
  return { store, folder, notices, fileOf: (conversationId) => join(folder, toFileName(conversationId)) };
}

export const freshStore = (limits?: Partial<StoreLimits>): StoreInFolder => storeIn(temporaryFolder(), limits);

export { answer, lostResult, text, toolResult, toolUse, user };

/** A question, and an answer that was finished. */
export async function addTurn(store: ConversationStore, conversationId: string, name: string): Promise<void> {
  const conversation = await store.open(conversationId);
  await conversation.add(user(`${name}-q`));
  await conversation.add(answer(`${name}-a`));
  await conversation.addParts(`${name}-a`, [text(`answer ${name}`)]);
  await conversation.finish(`${name}-a`);
  await conversation.close();
}

export async function messagesOf(store: ConversationStore, conversationId: string): Promise<readonly ConversationMessage[]> {
  const conversation = await store.open(conversationId);
  const { messages } = conversation;
  await conversation.close();
  return messages;
}
