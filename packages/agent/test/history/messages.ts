// Messages for the tests of the history.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";

export const text = (value: string): MessagePart => ({ type: "text", text: value });
export const toolUse = (toolId: string): MessagePart => ({ type: "tool_use", toolId, toolName: "list_files", input: { path: "." } });
export const toolResult = (toolId: string): MessagePart => ({
  type: "tool_result",
  toolId,
  toolName: "list_files",
  result: { files: ["a"] },
});
export const lostResult = (toolId: string): MessagePart => ({
  type: "tool_result",
  toolId,
  toolName: "list_files",
  result: null,
  isError: true,
  error: "the process ended before the tool did",
});

export const user = (messageId: string, words = `question ${messageId}`): ConversationMessage => ({
  messageId,
  role: "user",
  parts: [text(words)],
  timestamp: 1_700_000_000_000,
});

export const answer = (messageId: string, parts: MessagePart[] = []): ConversationMessage => ({
  messageId,
  role: "assistant",
  parts,
  timestamp: 1_700_000_000_001,
  model: "offline",
});
