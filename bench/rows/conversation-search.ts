// A search over 1,000 conversations with 100,000 messages, beside reading the list of their files, which every search has to do to see what
// other processes have written.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFileStore, type ConversationStore } from "../../packages/agent/src/index.ts";
import { timeOf } from "../measure.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Row } from "../row.ts";

const ours = "a search for two words";
const look = "readdir and lstat";
const conversations = 1_000;
const messages = 100;
const words = "ship harbour crane anchor tide sail rope mast deck keel light fog storm quay boat net fish salt wind wave".split(" ");

/** One is written as turns write it, the others are forks of it. */
async function fill(store: ConversationStore): Promise<void> {
  const first = await store.open("c0");
  for (let at = 0; at < messages; at++) {
    const text = Array.from({ length: 40 }, (_, word) => `${words[(at * 7 + word * 3) % words.length]}${word % 5 === 0 ? at : ""}`).join(
      " ",
    );
    await first.add({ messageId: `m${at}`, role: at % 2 ? "assistant" : "user", parts: [{ type: "text", text }], timestamp: at });
    if (at % 2) await first.finish(`m${at}`);
  }
  await first.close();
  for (let count = 1; count < conversations; count++) await store.fork("c0", { conversationId: `c${count}` });
}

async function search(store: ConversationStore): Promise<void> {
  const { matches, pending } = await store.search("harbour anchor", 50);
  if (matches.length !== 50 || pending > 0) throw new Error(`${matches.length} matches, ${pending} pending`);
}

export const conversationSearch: Row = {
  name: "conversation search",
  async prepare(context) {
    const folder = createTemporaryDirectory(context);
    const store = createFileStore({ folder, onNotice: () => {} });
    context.defer(() => store.close());
    await fill(store);
    while ((await store.search("harbour", 1)).pending > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    const lookAtAll = async (): Promise<void> => void (await Promise.all((await readdir(folder)).map((name) => lstat(join(folder, name)))));
    return [
      {
        name: "conversation search",
        work: "100,000 messages in 1,000 conversations",
        unit: "ms",
        ours,
        contestants: [
          { name: ours, round: async () => [await timeOf(() => search(store))] },
          { name: look, round: async () => [await timeOf(lookAtAll)] },
        ],
        targets: [{ atMost: 100 }],
      },
    ];
  },
};
