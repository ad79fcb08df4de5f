// How cost grows with size: workers, tools, conversations, messages, documents. Each size is a contestant, and what is measured
// is the cost of a thousand items (or calls in a second), so that a straight line gives equal numbers. The largest may cost as
// much more than the one before it as n log n does, and half of that again for noise.

import fs from "node:fs";
import { join } from "node:path";
import { createFileStore } from "../../packages/agent/src/history/file-store.ts";
import { loadIndex } from "../../packages/gateway/src/document/load-index.ts";
import { timeOf } from "../measure.ts";
import { prepareManyTools } from "../peers/bridge-servers.ts";
import { startBareClient, type BareMcpClient } from "../peers/mcp-client.ts";
import { createTemporaryDirectory } from "../program.ts";
import type { Case, Row, RowContext } from "../row.ts";
import { callsPerSecond } from "./rpc-calls.ts";

interface Growth {
  readonly name: string;
  readonly work: string;
  readonly sizes: readonly number[];
  /** What is counted; its plural. */
  readonly items: string;
  /** Milliseconds for all of them. */
  measure(size: number): Promise<number>;
}

const noise = 1.5;

function toCase({ name, work, sizes, items, measure }: Growth): Case {
  const nameOf = (size: number): string => `${size.toLocaleString("en-US")} ${items}`;
  const [before = 1, largest = 1] = sizes.slice(-2);
  return {
    name,
    work: `${work}; per 1,000 ${items}`,
    unit: "ms",
    ours: nameOf(largest),
    rounds: (usual) => Math.ceil(usual / 5),
    contestants: sizes.map((size) => ({ name: nameOf(size), round: async () => [((await measure(size)) / size) * 1_000] })),
    targets: [{ peer: nameOf(before), atMost: (noise * Math.log(largest)) / Math.log(before) }],
  };
}

export const growth: Row = {
  name: "Growth",
  prepare: async (context) => [
    await workers(context),
    toCase(await tools(context)),
    toCase(await conversations(context)),
    toCase(await messages(context)),
    toCase(documents(context)),
  ],
};

async function workers(context: RowContext): Promise<Case> {
  const counts = [1, 4, 16, 64, 256];
  const contestants = [];
  for (const count of counts) contestants.push({ name: `${count} workers`, round: await callsPerSecond(context, count) });
  return {
    name: "Growth, workers of rpc",
    work: "calls of an API at once",
    unit: "calls/s",
    ours: "256 workers",
    contestants,
    targets: [{ peer: "64 workers", atLeast: 1 / noise }],
  };
}

async function tools(context: RowContext): Promise<Growth> {
  const sizes = [10, 100, 1_000, 10_000];
  const commands = new Map<number, Awaited<ReturnType<typeof prepareManyTools>>>();
  for (const size of sizes) commands.set(size, await prepareManyTools(context, size));
  return {
    name: "Growth, tools of a bridge",
    work: "spawn, initialize, tools/list",
    sizes,
    items: "tools",
    async measure(size) {
      let client: BareMcpClient | undefined;
      const ms = await timeOf(async () => {
        client = await startBareClient(commands.get(size) ?? { args: [], env: {} });
        if ((await client.listTools()) !== size) throw new Error("not all tools were listed");
      });
      await client?.close();
      return ms;
    },
  };
}

const say = (messageId: string, text: string) => ({
  messageId,
  role: "user" as const,
  parts: [{ type: "text" as const, text }],
  timestamp: 1,
});
const onNotice = (notice: string): void => {
  throw new Error(notice);
};

async function conversations(context: RowContext): Promise<Growth> {
  const sizes = [10, 100, 1_000, 10_000];
  const folders = new Map<number, string>();
  for (const size of sizes) {
    const folder = join(createTemporaryDirectory(context), "conversations");
    const store = createFileStore({ folder, onNotice });
    for (let count = 0; count < size; count++) {
      const conversation = await store.open(`conversation-${count}`);
      await conversation.add(say("m", `question ${count}`));
      await conversation.close();
    }
    await store.close();
    folders.set(size, folder);
  }
  return {
    name: "Growth, conversations in the list",
    work: "a store that has just been opened lists them",
    sizes,
    items: "conversations",
    async measure(size) {
      const store = createFileStore({ folder: folders.get(size) ?? "", onNotice });
      const ms = await timeOf(async () => {
        if ((await store.list()).length !== size) throw new Error("not all conversations were listed");
      });
      await store.close();
      return ms;
    },
  };
}

async function messages(context: RowContext): Promise<Growth> {
  const sizes = [100, 1_000, 10_000, 100_000];
  const folder = join(createTemporaryDirectory(context), "conversations");
  // The usual bounds drop the oldest of so many.
  const limits = { maxConversationBytes: 1e9, maxOpenConversationBytes: 2e9, maxJournalBytes: 1e9 };
  const writer = createFileStore({ folder, onNotice, limits });
  for (const size of sizes) {
    const conversation = await writer.open(`of-${size}`);
    for (let count = 0; count < size; count++) await conversation.add(say(`m${count}`, `message ${count} of a long conversation`));
    await conversation.close();
  }
  await writer.close();
  return {
    name: "Growth, messages of a conversation",
    work: "opened, and one more message added",
    sizes,
    items: "messages",
    async measure(size) {
      const store = createFileStore({ folder, onNotice, limits });
      const ms = await timeOf(async () => {
        const conversation = await store.open(`of-${size}`);
        await conversation.add(say(`more-${performance.now()}`, "one more"));
        await conversation.close();
      });
      await store.close();
      return ms;
    },
  };
}

function documents(context: RowContext): Growth {
  const folder = createTemporaryDirectory(context);
  // Up to the bound of a document, 32 MiB; a larger one is refused before it is read.
  const sizes = [1, 8, 33];
  for (const size of sizes) fs.writeFileSync(join(folder, `${size}.json`), toDocument(size * 1_000_000));
  return {
    name: "Growth, megabytes of an API document",
    work: "from its file to the first operation described, nothing cached; beyond 32 MiB it is refused",
    sizes: sizes.map((size) => size * 1_000),
    items: "kB",
    measure: (kilobytes) =>
      timeOf(async () => {
        const env = { XDG_CACHE_HOME: fs.mkdtempSync(join(folder, "cache-")) };
        const index = await loadIndex({ specFile: join(folder, `${kilobytes / 1_000}.json`), env });
        await index.describe(index.find("operation1"));
      }),
  };
}

/** Half of it are examples, which no index keeps: one that holds the rest of the largest stays within its own bound. */
function toDocument(bytes: number): string {
  const sentence = "What it does, in as many words as such a description has in a document that people have written. ";
  const [description, example] = [sentence.repeat(3), { text: sentence.repeat(5) }];
  const paths: Record<string, object> = {};
  for (let count = 1, length = 0; length < bytes; count++) {
    const schema = { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } };
    const operation = {
      operationId: `operation${count}`,
      description,
      responses: { 200: { description: "ok", content: { "application/json": { schema, example } } } },
    };
    const path = `/things/${count}`;
    paths[path] = { get: operation };
    length += path.length + JSON.stringify(operation).length + 12;
  }
  return JSON.stringify({ openapi: "3.1.0", info: { title: "large", version: "1" }, paths });
}
