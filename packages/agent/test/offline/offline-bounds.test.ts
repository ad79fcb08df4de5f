// The offline model keeps its bounds: deterministic, word by word, nothing repeated without end, and ended
// by an abort.

import { describe, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import type { ModelEvent, ModelStep } from "../../src/model/model.ts";
import { createOfflineModel } from "../../src/offline/offline-model.ts";
import { processorMs } from "../processor-time.ts";
import { createFolder, startTalk } from "./turn.ts";

const stepFor = (text: string, signal = new AbortController().signal): ModelStep => ({
  instructions: "",
  messages: [{ messageId: "m1", role: "user", parts: [{ type: "text", text }], timestamp: 1 }],
  attachments: new Map(),
  tools: [],
  signal,
});

describe("offline: bounds", () => {
  it("is deterministic: the same conversation gives the same events", async () => {
    await using folder = await createFolder({ "README.md": "# Harbour", "notes.txt": "" });
    const [first, second] = [
      await startTalk(folder.tools).say("ls and read README"),
      await startTalk(folder.tools).say("ls and read README"),
    ];
    expect(first.events).toEqual(second.events);
  });

  it("streams word by word, and nothing of the text is lost", async () => {
    const turn = await startTalk({ read_file: () => `${"x".repeat(300)}\n\n  indented 😀${"😀".repeat(100)}\n` }).say("cat a.txt");
    const pieces = turn.events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(turn.text).toContain(`${"x".repeat(300)}\n\n  indented 😀${"😀".repeat(100)}`);
  });

  it("G15 a large result is repeated in part, with a note; its fence holds whatever the file holds", async () => {
    const turn = await startTalk({ read_file: () => `\`\`\`\n${"y".repeat(1_000_000)}` }).say("cat a.txt");
    expect(turn.text.length).toBeLessThan(agentLimits.offlineRepeatChars + 500);
    expect(turn.text).toContain("more characters)");
    expect(turn.text).toContain("\n````\n```\n");
  });

  it("G15 a long list is repeated in part, with a note", async () => {
    const turn = await startTalk({ list_files: () => ({ files: Array.from({ length: 5_000 }, (_, at) => `f${at}`) }) }).say("ls");
    expect(turn.text).toContain("5000 entries here");
    expect(turn.text).toContain("- … and 4800 more");
  });

  it("a message of ten megabytes is refused in words, at once", async () => {
    let text = "";
    const took = await processorMs(async () => ({ text } = await startTalk().say("write ".repeat(1_800_000))));
    expect(text).toContain("Your message has 10800000 characters; the offline model reads at most 65536.");
    expect(took).toBeLessThan(5_000);
  });

  it("no more requests of one message are taken on than the limit says, and the rest is named", async () => {
    const { text } = await startTalk().say("what is 1 + 1; ".repeat(30));
    expect(text.match(/1 \+ 1 = 2/g)).toHaveLength(agentLimits.offlineRequestEntries);
    expect(text).toContain("the rest is left undone");
  });

  it("an abort ends the stream with an error that says cancelled, also during a pause", async () => {
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    const read = async (): Promise<void> => {
      for await (const event of createOfflineModel({ pauseMs: 60_000 }).stream(stepFor("help", controller.signal))) {
        events.push(event);
        setTimeout(() => controller.abort(), 5);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
    expect(events).toHaveLength(1);
  });

  it("a step without a message of the user says nothing, and does not fail", async () => {
    const events: ModelEvent[] = [];
    for await (const event of createOfflineModel().stream({ ...stepFor("x"), messages: [] })) events.push(event);
    expect(events).toEqual([{ type: "usage", inputTokens: expect.any(Number) as number, outputTokens: 0 }]);
  });
});
