// The wire view's log: every line once, with its conversation, bounded; filtered and written as NDJSON.

import { shellLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { filterEntries, groupEntries, textOfGroup, toNdjson } from "../../src/page/state/wire-log.ts";
import { asked, conversationId, fold, happens, passed, says, wholeTurn } from "./lines.ts";

const token = (at: number, text = "x") => passed({ type: "token", id: "r1", token: text, seq: at + 1, timestamp: 1 }, "received", at);

describe("the log", () => {
  it("keeps the latest lines and counts those that it forgot", () => {
    const { wire } = fold(Array.from({ length: shellLimits.shellWireEntries + 50 }, (_, at) => token(at)));
    expect(wire.entries).toHaveLength(shellLimits.shellWireEntries);
    expect([wire.dropped, wire.entries[0]?.number, wire.entries.at(-1)?.number]).toEqual([50, 51, shellLimits.shellWireEntries + 50]);
  });

  it("holds no more characters than it may, however long the lines are", () => {
    const long = "y".repeat(shellLimits.shellWireChars / 4);
    const { wire } = fold(Array.from({ length: 9 }, (_, at) => token(at, long)));
    expect(wire.chars).toBeLessThanOrEqual(shellLimits.shellWireChars);
    expect(wire.entries.length).toBe(3);
  });

  it("goes on counting after it was cleared", () => {
    const { wire } = fold([token(0), { type: "wire_cleared" }, token(1)]);
    expect([wire.entries.map(({ number }) => number), wire.dropped]).toEqual([[2], 1]);
  });

  it("shows what is no message of the protocol too", () => {
    const { wire } = fold([{ type: "line_passed", at: 1, chars: 3, value: "???", direction: "received" }]);
    expect(wire.entries.at(-1)).toMatchObject({ name: "(no message)", value: "???", id: undefined });
  });
});

describe("the rows of the wire view", () => {
  it("hold the pieces of one answer together, and nothing else", () => {
    const other = passed({ type: "token", id: "r2", token: "y", seq: 1, timestamp: 1 });
    const { wire } = fold([passed(says("r1"), "sent"), token(0, "ships "), token(1, "ahoy"), other, token(2), passed(says("r3"), "sent")]);
    const groups = groupEntries(wire.entries);
    expect(groups.map(({ first, entries }) => [first.name, entries.length])).toEqual([
      ["user_message", 1],
      ["token", 2],
      ["token", 1],
      ["token", 1],
      ["user_message", 1],
    ]);
    expect(groups[1] && textOfGroup(groups[1], 100)).toBe("ships ahoy");
    expect(groups.flatMap(({ entries }) => entries)).toEqual(wire.entries);
    expect(groups.reduce((sum, { chars }) => sum + chars, 0)).toBe(wire.chars);
  });
});

describe("the wire view", () => {
  const other = { ...says("r2"), metadata: { conversationId: "c2" } };
  const rename = { id: "n", kind: "rename_conversation", conversationId: "c2", title: "Boats" } as const;
  const { wire } = fold([
    passed({ type: "ready", timestamp: 1 }),
    asked(says("r1")),
    passed(says("r1"), "sent", 5),
    asked(other),
    passed(other, "other_tab", 6),
    ...wholeTurn("r1").flatMap((event) => [passed(event), happens(event)]),
    passed({ type: "token", id: "r2", token: "Neptune", seq: 1, timestamp: 1 }),
    passed({ id: "p", kind: "permission_response", permissionId: "p1", decision: "allow" }, "sent"),
    passed(rename, "sent"),
    passed({ type: "error", id: "n", error: "a turn runs", timestamp: 1 }),
  ]);
  const names = (filter: Partial<Parameters<typeof filterEntries>[1]>) =>
    filterEntries(wire.entries, { conversationId: undefined, name: "", text: "", ...filter }).map(({ name }) => name);

  it("knows to which conversation a line belongs, and shows those without one everywhere", () => {
    expect(names({ conversationId: "c2" })).toEqual(["ready", "user_message", "token", "rename_conversation", "error"]);
    expect(names({ conversationId }).at(-1)).toBe("permission_response");
    expect(names({})).toHaveLength(17);
  });

  it("is narrowed down by type and by text anywhere in the line", () => {
    expect(names({ name: "done" })).toEqual(["done"]);
    expect(names({ text: "NEPTUNE" })).toEqual(["token"]);
  });

  it("is written as one line per message, each valid JSON", () => {
    const written = toNdjson(wire.entries.slice(1, 3));
    expect(written.endsWith("\n")).toBe(true);
    expect(
      written
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { at: 5, direction: "sent", message: says("r1") },
      { at: 6, direction: "other_tab", message: other },
    ]);
  });
});
