// One recorded journal of each version of the format, as the code of its time wrote it: `fixtures/format-<version>.jsonl`. Every
// later version has to load it and go on with it. When the format changes, these files stay, and the new version gets one more.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { addTurn, answer, lostResult, messagesOf, storeIn, temporaryFolder, text, toolResult, toolUse, user } from "./stores.ts";

const recorded = fileURLToPath(new URL("fixtures/format-1.jsonl", import.meta.url));
/** The names that version 1 gave the files of these conversations. */
const recordedName = "c-harbour-1.4523d4d7f14269bee9b194d9a697473c.jsonl";
const firstName = "c-harbour-1.88e84e647d847bb90e17dfc57da96ee2.jsonl";

const lines = [
  '{"format":"hawser-conversation","version":1,"conversationId":"Harbour 1"}',
  '{"type":"message","message":{"messageId":"q1","role":"user","parts":[{"type":"text","text":"question q1"}],"timestamp":1700000000000},"summary":{"title":"question q1","messages":1,"updatedAt":1700000000000}}',
  '{"type":"message","message":{"messageId":"a1","role":"assistant","parts":[],"timestamp":1700000000001,"model":"offline"},"summary":{"title":"question q1","messages":2,"updatedAt":1700000000001}}',
  '{"type":"parts","messageId":"a1","parts":[{"type":"tool_use","toolId":"t1","toolName":"list_files","input":{"path":"."}}],"summary":{"title":"question q1","messages":2,"updatedAt":1700000000002}}',
  '{"type":"parts","messageId":"a1","parts":[{"type":"tool_result","toolId":"t1","toolName":"list_files","result":{"files":["a"]}},{"type":"text","text":"done"}],"summary":{"title":"question q1","messages":2,"updatedAt":1700000000003}}',
  '{"type":"finish","messageId":"a1","summary":{"title":"question q1","messages":2,"updatedAt":1700000000004}}',
  '{"type":"message","message":{"messageId":"q2","role":"user","parts":[{"type":"text","text":"question q2"}],"timestamp":1700000000000},"isComplete":true,"summary":{"title":"question q1","messages":3,"updatedAt":1700000000005}}',
  '{"type":"truncate","after":"a1","summary":{"title":"question q1","messages":2,"updatedAt":1700000000006}}',
  '{"type":"title","title":"Ships","summary":{"title":"Ships","messages":2,"updatedAt":1700000000007}}',
];

it.each([
  ["names version 1", lines],
  ["names no version", [lines[0]!.replace('"version":1,', ""), ...lines.slice(1)]],
])("G12 a conversation whose file %s is listed and read, without a notice", async (_what, written) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, firstName), `${written.join("\n")}\n`, { mode: 0o600 });
  const { store, notices } = storeIn(folder);
  expect(await store.list()).toMatchObject([{ conversationId: "Harbour 1", title: "Ships" }]);
  expect(await messagesOf(store, "Harbour 1")).toEqual([user("q1"), answer("a1", [toolUse("t1"), toolResult("t1"), text("done")])]);
  expect(notices).toEqual([]);
});

it("G12 the recorded journal of version 1 loads, is repaired and goes on, and what it held stays as it was", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded, file);
  const { store, notices } = storeIn(folder);
  expect(await store.list()).toEqual([
    { conversationId: "Harbour ✓ 1", title: "Ships and boats", messages: 6, updatedAt: 1_763_400_028_000 },
  ]);
  const before = await messagesOf(store, "Harbour ✓ 1");
  expect(before.map(({ messageId, interrupted }) => [messageId, interrupted])).toEqual([
    ["q1", undefined],
    ["a1", undefined],
    ["q3", undefined],
    ["a3", "the turn was cancelled"],
    ["q4", undefined],
    ["a4", "the process ended before the answer did"],
  ]);
  expect(before[0]?.parts).toEqual([
    text("What is in the harbour? “Schiffe” 🚢"),
    { type: "attachment", path: "notes.txt", mime: "text/plain" },
  ]);
  expect(before[1]?.parts.map(({ type }) => type)).toEqual(["text", "tool_use", "tool_result", "text"]);
  expect(before[5]?.parts.at(-1)).toEqual({ ...lostResult("t3"), toolName: "read_file" });
  await addTurn(store, "Harbour ✓ 1", "later");
  expect((await messagesOf(storeIn(folder).store, "Harbour ✓ 1")).slice(0, 6)).toEqual(before);
  expect(readFileSync(file, "utf8").startsWith(readFileSync(recorded, "utf8"))).toBe(true);
  expect(notices).toEqual([]);
});

it("G12 a journal of version 1 is written again in the present one before something that version 1 does not know", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded, file);
  const { store, notices } = storeIn(folder);
  const before = await messagesOf(store, "Harbour ✓ 1");
  const conversation = await store.open("Harbour ✓ 1");
  const session = { agent: "acp/codex", sessionId: "s-1", through: "a4" };
  await conversation.keepAgentSession(session);
  await conversation.suggestTitle("Not taken: the user gave one");
  await conversation.close();
  expect(readFileSync(file, "utf8").split("\n")[0]).toBe('{"format":"hawser-conversation","version":3,"conversationId":"Harbour ✓ 1"}');
  const again = await storeIn(folder).store.open("Harbour ✓ 1");
  expect(again.agentSession).toEqual(session);
  expect(again.title).toBe("Ships and boats");
  expect(again.messages).toEqual(before);
  await again.close();
  expect(notices).toEqual([]);
});

const recorded2 = fileURLToPath(new URL("fixtures/format-2.jsonl", import.meta.url));

it("G12 the recorded journal of version 2 loads: the agent's session, its title, and uses with titles, places and changes", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded2, file);
  const { store, notices } = storeIn(folder);
  const conversation = await store.open("Harbour ✓ 1");
  expect(conversation.agentSession).toEqual({ agent: "acp/codex", sessionId: "session-2", through: "a2" });
  expect(conversation.title).toBe("Boats in the harbour");
  expect(conversation.messages.at(1)?.parts).toEqual([
    {
      type: "tool_use",
      toolId: "t1",
      toolName: "edit",
      input: { file: "boats.txt" },
      title: "Edit boats.txt",
      kind: "edit",
      locations: [{ path: "/harbour/boats.txt", line: 3 }],
    },
    {
      type: "tool_result",
      toolId: "t1",
      toolName: "edit",
      result: null,
      diffs: [{ path: "/harbour/boats.txt", oldText: "3", newText: "4" }],
    },
    text("Four boats."),
  ]);
  await conversation.suggestTitle("Boats");
  expect(conversation.title).toBe("Boats");
  await conversation.truncate("a1");
  expect(conversation.agentSession).toBeUndefined();
  await conversation.close();
  expect(notices).toEqual([]);
});

it("G12 a journal of version 2 stays one until it holds something that version 2 does not know", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded2, file);
  const conversation = await storeIn(folder).store.open("Harbour ✓ 1");
  const headerOf = (): string | undefined => readFileSync(file, "utf8").split("\n")[0];
  await conversation.keepAgentSession({ agent: "acp/codex", sessionId: "session-3", through: "a2" });
  expect(headerOf()).toContain('"version":2');
  await conversation.addSteer({ steerId: "s1", target: "r1", message: "more boats" });
  expect(headerOf()).toContain('"version":3');
  await conversation.close();
  const again = await storeIn(folder).store.open("Harbour ✓ 1");
  expect(again.steers).toMatchObject([{ steerId: "s1", target: "r1", message: "more boats" }]);
  expect(again.agentSession?.sessionId).toBe("session-3");
  await again.close();
});

const recorded3 = fileURLToPath(new URL("fixtures/format-3.jsonl", import.meta.url));

it("G12 so does one whose answer gets a part that version 2 does not know", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded2, file);
  const conversation = await storeIn(folder).store.open("Harbour ✓ 1");
  await conversation.add(answer("a3"));
  expect(readFileSync(file, "utf8")).toContain('"version":2');
  await conversation.addParts("a3", [{ type: "steer", steerId: "s1", message: "more boats" }]);
  expect(readFileSync(file, "utf8").split("\n")[0]).toContain('"version":3');
  await conversation.close();
});

it("G12 the recorded journal of version 3 loads: what was steered stands where the model saw it, and what waits is still there", async () => {
  const folder = temporaryFolder();
  copyFileSync(recorded3, join(folder, recordedName));
  const { store, notices } = storeIn(folder);
  const conversation = await store.open("Harbour ✓ 1");
  expect(conversation.messages.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
    ["text"],
    ["tool_use", "tool_result", "steer", "text"],
    ["text"],
    ["reasoning", "tool_use", "tool_result", "plan", "text"],
    ["text"],
    ["tool_use", "tool_result", "text"],
  ]);
  expect(conversation.messages[1]?.parts[2]).toEqual({ type: "steer", steerId: "steer-1", message: "Only the sailing ones, please." });
  expect(conversation.messages[2]?.requestId).toBe("steer-2");
  expect(conversation.steers).toMatchObject([{ steerId: "steer-4", target: "r1", message: "And where they are moored." }]);
  await conversation.close();
  expect(notices).toEqual([]);
});

it("G12 the recorded journal of version 3 loads: thoughts, a plan, summaries, one of them within an answer, and what was used", async () => {
  const folder = temporaryFolder();
  const file = join(folder, recordedName);
  copyFileSync(recorded3, file);
  const { store, notices } = storeIn(folder);
  const conversation = await store.open("Harbour ✓ 1");
  const plan = { entries: [{ content: "Count the boats", status: "pending" }] };
  expect(conversation.messages.at(3)?.parts).toEqual([
    { type: "reasoning", text: "Two steps will do." },
    { type: "tool_use", toolId: "t2", toolName: "update_plan", input: plan },
    { type: "tool_result", toolId: "t2", toolName: "update_plan", result: plan },
    { type: "plan", ...plan },
    text("That is the plan."),
  ]);
  expect(conversation.summaries).toMatchObject([
    { through: "a2", text: "The user asks for boats.", messages: 4 },
    { through: "a3", parts: 2, messages: 5 },
  ]);
  expect(conversation.used).toEqual({ tokens: 200, usd: 0.5, ms: 42 });
  // Writes the file again.
  await conversation.truncate("a3");
  await conversation.close();
  const again = await storeIn(folder).store.open("Harbour ✓ 1");
  expect(again.summaries).toHaveLength(2);
  expect(again.used).toEqual({ tokens: 200, usd: 0.5, ms: 42 });
  await again.truncate("q3");
  expect(again.summaries).toMatchObject([{ through: "a2" }]);
  await again.clear();
  expect(again.summaries).toEqual([]);
  expect(again.used).toEqual({ tokens: 0, usd: 0, ms: 0 });
  await again.close();
  expect(notices).toEqual([]);
});

it("G12 a journal of version 2 is written again as version 3 before a summary or a thought", async () => {
  for (const isSummary of [true, false]) {
    const folder = temporaryFolder();
    const file = join(folder, recordedName);
    copyFileSync(recorded2, file);
    const conversation = await storeIn(folder).store.open("Harbour ✓ 1");
    const counts = { messages: 2, tokensBefore: 2, tokensAfter: 1, timestamp: 1 };
    if (isSummary) await conversation.addSummary({ through: "a1", text: "Boats.", ...counts });
    else await conversation.add({ ...user("q9"), role: "assistant", parts: [{ type: "reasoning", text: "Hm." }] });
    await conversation.close();
    expect(readFileSync(file, "utf8").split("\n")[0]).toContain('"version":3');
  }
});

it.each(["4", '"2.0"'])(
  "RUN-07 a journal of format %s is refused with what to do, left out of the list, and stays byte for byte",
  async (version) => {
    const folder = temporaryFolder();
    const file = join(folder, recordedName);
    const newer = readFileSync(recorded, "utf8").replace('"version":1', `"version":${version}`);
    writeFileSync(file, newer, { mode: 0o600 });
    const { store, notices } = storeIn(folder);
    const refusal = "a newer version of Hawser wrote it";
    await expect(store.open("Harbour ✓ 1")).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining(refusal) as string,
    });
    await expect(store.open("Harbour ✓ 1")).rejects.toThrow("install a newer Hawser to open it");
    expect(await store.list()).toEqual([]);
    expect(notices).toEqual([expect.stringContaining("install a newer Hawser")]);
    expect(readFileSync(file, "utf8")).toBe(newer);
  },
);
