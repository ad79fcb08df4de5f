// A search over conversations that machines share: what is found, what is read for it, and that it ends.

import { afterEach, expect, it } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { createLogSearch } from "../../src/history/search-logs.ts";
import { createTranscript } from "../../src/history/transcript.ts";

const { searchUpdateMs } = agentLimits;
afterEach(() => void Object.assign(agentLimits, { searchUpdateMs }));

/** Ten conversations; each says `rope` at its own time, the first is the latest. */
function open() {
  const read: string[] = [];
  const summaries = Array.from({ length: 10 }, (_, at) => ({ conversationId: `c${at}`, title: "", messages: 1, updatedAt: 100 - at }));
  const search = createLogSearch({
    list: async () => summaries,
    async read(conversationId) {
      read.push(conversationId);
      const { updatedAt = 0 } = summaries.find((one) => one.conversationId === conversationId) ?? {};
      const message = { messageId: "m", role: "user" as const, parts: [{ type: "text" as const, text: "a rope" }], timestamp: updatedAt };
      return { ...createTranscript(), entries: [{ message, isComplete: true, bytes: 1 }] };
    },
  });
  return { read, summaries, search };
}
const idsOf = (matches: readonly { readonly conversationId: string }[]): string[] => matches.map(({ conversationId }) => conversationId);

it("a search of shared conversations reads no more of them than it needs for the latest matches", async () => {
  const { read, search } = open();
  const { matches, pending } = await search("rope", 3);
  expect([idsOf(matches), read, pending]).toEqual([["c0", "c1", "c2"], ["c0", "c1", "c2"], 0]);
});

it("a search of shared conversations ends when its time is over, says what it has not read, and goes on from there when it is asked again", async () => {
  Object.assign(agentLimits, { searchUpdateMs: 0 });
  const { read, summaries, search } = open();
  for (let asked = 1; asked <= 10; asked++) {
    const { matches, pending } = await search("rope", 50);
    expect([matches.length, pending]).toEqual([asked, 10 - asked]);
  }
  expect(read).toEqual(summaries.map(({ conversationId }) => conversationId));
  // What has changed is read again, and another query begins anew.
  summaries[4] = { conversationId: "c4", title: "", messages: 2, updatedAt: 200 };
  expect([(await search("rope", 50)).pending, read.slice(10)]).toEqual([0, ["c4"]]);
  expect((await search("quay", 50)).pending).toBe(9);
});
