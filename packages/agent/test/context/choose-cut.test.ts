// Where a summary may end.

import type { ConversationMessage, MessagePart } from "@hawser/protocol";
import { expect, it } from "vitest";
import { chooseCut } from "../../src/context/choose-cut.ts";
import { messagesAfter } from "../../src/context/context-view.ts";

const text = (words: string): MessagePart => ({ type: "text", text: words });
const use = (toolId: string): MessagePart => ({ type: "tool_use", toolId, toolName: "dig", input: {} });
const result = (toolId: string): MessagePart => ({ type: "tool_result", toolId, toolName: "dig", result: "earth" });
const message = (messageId: string, role: "user" | "assistant", ...parts: MessagePart[]): ConversationMessage => ({
  messageId,
  role,
  parts,
  timestamp: 1,
});
const options = { keepTokens: 0, mayCutTurn: true, weigh: () => 1 };

it("after a whole turn, as many as leave little enough; never after a message that waits for its answer", () => {
  const messages = [
    message("q1", "user", text("one")),
    message("a1", "assistant", text("One.")),
    message("q2", "user", text("two")),
    message("q3", "user", text("three")),
    message("a3", "assistant"),
  ];
  expect(chooseCut(messages, options)).toMatchObject({ through: "a1", coveredTokens: 2 });
  expect(chooseCut(messages.slice(2), options)).toBeUndefined();
});

it("within a turn only where every use has its result, and what is being answered stays", () => {
  const parts = [use("a"), use("b"), result("a"), text("so"), result("b"), text("Next."), use("c"), result("c")];
  const messages = [message("q1", "user", text("one")), message("q2", "user", text("two")), message("a2", "assistant", ...parts)];
  // A use whose result is still to come would have left little enough already.
  const cut = chooseCut(messages, { ...options, keepTokens: 7 });
  expect(cut).toMatchObject({ through: "a2", parts: 5 });
  expect(messagesAfter(messages, cut!)).toEqual([messages[0], messages[1], { ...messages[2], parts: parts.slice(5) }]);
  expect(chooseCut(messages, { ...options, mayCutTurn: false })).toBeUndefined();
});
