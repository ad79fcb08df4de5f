// An agent runtime with a long past: one conversation of ten thousand messages, and one in which a tool has returned ten megabytes.
// Everything around the store's content is ours, as it is shipped.

import { ndjson, runStdio } from "@hawser/wire/node";
import {
  createMemoryStore,
  createOneWorkspace,
  createPolicy,
  serveAgent,
  type ConversationStore,
  type Model,
} from "../../packages/agent/src/index.ts";
import { largeResultChars, longConversation } from "../peers/long-past.ts";

const model: Model = {
  name: "bench",
  // oxlint-disable-next-line require-yield -- it is never asked
  async *stream() {
    throw new Error("only the past is looked at");
  },
};

async function fill(store: ConversationStore): Promise<void> {
  const long = await store.open("long");
  for (let at = 1; at <= longConversation.messages; at += 2) {
    const text = `message ${at + 1} with **words**, \`code\` and\n\n- a list\n- of two\n\n\`\`\`ts\nconst ship = ${at};\n\`\`\``;
    await long.add({ messageId: `m${at}`, role: "user", parts: [{ type: "text", text: `message ${at}` }], timestamp: at });
    await long.add({ messageId: `m${at + 1}`, role: "assistant", parts: [{ type: "text", text }], timestamp: at });
    await long.finish(`m${at + 1}`);
  }
  const large = await store.open("large");
  const content = "a line of a log that has many of them\n".repeat(largeResultChars / 38);
  const use = { toolId: "t1", toolName: "read_file" } as const;
  await large.add({ messageId: "m1", role: "user", parts: [{ type: "text", text: "read the log" }], timestamp: 1 });
  await large.add({
    messageId: "m2",
    role: "assistant",
    parts: [
      { type: "tool_use", ...use, input: { path: "harbour.log" } },
      { type: "tool_result", ...use, result: { path: "harbour.log", content } },
      { type: "text", text: "That is the log." },
    ],
    timestamp: 2,
  });
  await large.finish("m2");
  await long.rename("A long one");
  await large.rename("A large one");
}

const store = createMemoryStore();
await fill(store);
const parts = {
  models: { current: "bench", pick: async () => model, list: async () => [{ model: "bench", available: true, current: true }] },
  store,
  workspaces: createOneWorkspace({ policy: createPolicy() }),
  build: "0.0.0",
};

await runStdio({ codec: ndjson, serve: (transport, lifecycle) => serveAgent(transport, parts, { lifecycle }) });
