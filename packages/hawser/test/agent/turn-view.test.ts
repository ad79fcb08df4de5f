// What a person on a terminal sees of a turn, as text.

import { expect, it } from "vitest";
import type { TurnEvent } from "@hawser/agent/host";
import { createTurnView } from "../../src/chat/turn-view.ts";

it("R121 a tool's card stands alone between the texts before and after it: no gap is doubled", () => {
  let shown = "";
  const view = createTurnView({ paint: (_, text) => text, width: 80, write: (text) => void (shown += text), isPlain: true });
  const use = { toolId: "t", toolName: "look" };
  const events = [
    { type: "token", token: "First." },
    { type: "tool_use", data: { ...use, input: {} } },
    { type: "tool_result", data: { ...use, result: "seen" } },
    { type: "token", token: "\n\n" },
    { type: "token", token: "Then." },
  ];
  for (const event of events) view.show(event as TurnEvent);
  view.end();
  expect(shown).toMatch(/^First\.\n● look.*\n(?:\S.*\n| .*\n)+\nThen\.\n$/);
});

it("an answer is broken between words, also where Markdown is drawn, and nothing of it waits behind a question", () => {
  for (const isPlain of [true, false]) {
    let shown = "";
    const view = createTurnView({ paint: (_, text) => text, width: 20, write: (text) => void (shown += text), isPlain });
    for (const token of ["Ships come ", "and **go** with the ti", "de"]) view.show({ type: "token", token } as TurnEvent);
    view.pause();
    expect(shown).toBe(isPlain ? "Ships come and\n**go** with the tide\n" : "Ships come and go\nwith the tide\n");
    view.resume();
    view.end();
  }
});
