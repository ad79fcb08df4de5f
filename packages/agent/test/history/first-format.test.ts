// A file as version 1 of the format writes it, under the name that it has there, kept here letter by letter: every later
// version has to read it. When the format changes, this file stays, and the new version gets one of its own.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, messagesOf, storeIn, temporaryFolder, text, toolResult, toolUse, user } from "./stores.ts";

const name = "c-harbour-1.88e84e647d847bb90e17dfc57da96ee2.jsonl";
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

it("G12 a conversation that version 1 of the format wrote is listed and read, without a notice", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), `${lines.join("\n")}\n`, { mode: 0o600 });
  const { store, notices } = storeIn(folder);
  expect(await store.list()).toMatchObject([{ conversationId: "Harbour 1", title: "Ships" }]);
  expect(await messagesOf(store, "Harbour 1")).toEqual([user("q1"), answer("a1", [toolUse("t1"), toolResult("t1"), text("done")])]);
  expect(notices).toEqual([]);
});
