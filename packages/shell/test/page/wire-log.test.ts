// The wire view's log: every line once, with its conversation, bounded; filtered and written as NDJSON.

import { limits } from "@hawser/wire";
import { describe, expect, it } from "vitest";
import { filterEntries, toNdjson } from "../../src/page/wire/filter-entries.ts";
import { conversationId, fold, received, says, sent, wholeTurn } from "./lines.ts";

const token = (at: number, text = "x") => received({ type: "token", id: "r1", token: text, seq: at + 1, timestamp: 1 }, at);

describe("the log", () => {
  it("keeps the latest lines and counts those that it forgot", () => {
    const { wire } = fold(Array.from({ length: limits.shellWireEntries + 50 }, (_, at) => token(at)));
    expect(wire.entries).toHaveLength(limits.shellWireEntries);
    // One more: the greeting.
    expect([wire.dropped, wire.entries[0]?.number, wire.entries.at(-1)?.number]).toEqual([51, 52, limits.shellWireEntries + 51]);
  });

  it("holds no more characters than it may, however long the lines are", () => {
    const long = "y".repeat(limits.shellWireChars / 4);
    const { wire } = fold(Array.from({ length: 9 }, (_, at) => token(at, long)));
    expect(wire.chars).toBeLessThanOrEqual(limits.shellWireChars);
    expect(wire.entries.length).toBe(3);
  });

  it("goes on counting after it was cleared", () => {
    const { wire } = fold([token(0), { type: "wire_cleared" }, token(1)]);
    expect([wire.entries.map(({ number }) => number), wire.dropped]).toEqual([[3], 2]);
  });

  it("shows what is no message of the protocol too", () => {
    const { wire } = fold([{ type: "line", at: 1, chars: 3, value: "???", line: { direction: "received", message: undefined } }]);
    expect(wire.entries.at(-1)).toMatchObject({ name: "(no message)", value: "???", id: undefined });
  });
});

describe("the wire view", () => {
  const other = { ...says("r2"), metadata: { conversationId: "c2" } };
  const { wire } = fold([
    sent(says("r1"), "sent", 5),
    sent(other, "other_tab", 6),
    ...wholeTurn("r1").map((event) => received(event)),
    received({ type: "token", id: "r2", token: "Neptune", seq: 1, timestamp: 1 }),
    sent({ id: "p", kind: "permission_response", permissionId: "p1", decision: "allow" }),
  ]);
  const names = (filter: Partial<Parameters<typeof filterEntries>[1]>) =>
    filterEntries(wire.entries, { conversationId: undefined, name: "", text: "", ...filter }).map(({ name }) => name);

  it("knows to which conversation a line belongs, and shows those without one everywhere", () => {
    expect(names({ conversationId: "c2" })).toEqual(["ready", "user_message", "token"]);
    expect(names({ conversationId }).at(-1)).toBe("permission_response");
    expect(names({})).toHaveLength(15);
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
