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
