// G12: a process writes turns and is killed at [count] random points. Nothing that it had acknowledged is
// lost, nothing that it had acknowledged as removed comes back, every history loads, every use of a tool has
// a result, and no file stays behind that nobody needs.
//   node --conditions=hawser-source packages/agent/test/soak/history.soak.ts [count, 200 unless given]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConversationMessage } from "@hawser/protocol";
import { isJournalName } from "../../src/history/conversation-files.ts";
import type { Conversation } from "../../src/history/conversation-store.ts";
import { createFileStore } from "../../src/history/file-store.ts";

const count = Number(process.argv[2] ?? 200);
if (!Number.isSafeInteger(count) || count < 1) {
  console.error("usage: history.soak.ts [count], a whole number of at least 1");
  process.exit(2);
}
const writer = fileURLToPath(new URL("../fixtures/history-writer.ts", import.meta.url));

/** What a conversation must hold: the messages in their order, with the parts that were acknowledged, by name. */
interface Acknowledged {
  messageIds: string[];
  readonly parts: Set<string>;
  readonly finished: Set<string>;
  /** By the last message that each stands for. */
  readonly summaries: Set<string>;
  /** A removal was asked for and not acknowledged: both are right, before and after it. */
  isRemoving: boolean;
}

const acknowledged = new Map<string, Acknowledged>();
let acknowledgements = 0;

function take(line: string): void {
  const [conversationId = "", what = "", name = ""] = line.split(" ");
  if (conversationId === "notice") return;
  const facts = acknowledged.get(conversationId) ?? {
    messageIds: [],
    parts: new Set(),
    finished: new Set(),
    summaries: new Set(),
    isRemoving: false,
  };
  acknowledged.set(conversationId, facts);
  acknowledgements++;
  if (what === "message") facts.messageIds.push(name);
  if (what === "part" || what === "result") facts.parts.add(`${what} ${name}`);
  if (what === "done") facts.finished.add(name);
  if (what === "summary") facts.summaries.add(name);
  if (what === "removing") facts.isRemoving = true;
  if (what === "kept") {
    facts.messageIds = name === "" ? [] : name.split(",");
    facts.isRemoving = false;
  }
}

/** Lets the writer write for a while after its first line, then kills it. What it had said by then is taken. */
async function writeAndKill(folder: string, run: number): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=hawser-source", writer, folder, "turns", String(run)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8");
  const closed = once(child, "close");
  const killAt = 1 + Math.floor(Math.random() * 90);
  let lines = 0;
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
    const before = lines;
    lines += chunk.split("\n").length - 1;
    // Not right after a line: somewhere in what is done between two of them.
    if (before < killAt && lines >= killAt) setTimeout(() => child.kill("SIGKILL"), Math.random() * 4);
  });
  const [code, signal] = (await closed) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself, with ${code}: ${output.slice(-300)}`);
  for (const line of output.split("\n").slice(0, -1)) take(line);
}

async function check(folder: string): Promise<void> {
  const problems: string[] = [];
  const store = createFileStore({ folder, onNotice: (notice) => /damaged|could not/.test(notice) && problems.push(notice) });
  const listed = new Map((await store.list()).map((summary) => [summary.conversationId, summary.messages]));
  for (const [conversationId, facts] of acknowledged) {
    const conversation = await store.open(conversationId);
    problems.push(...compare(conversation.messages, facts).map((problem) => `${conversationId}: ${problem}`));
    problems.push(...compareSummaries(conversation, facts).map((problem) => `${conversationId}: ${problem}`));
    // One that was begun, and has nothing yet, is not listed.
    if ((listed.get(conversationId) ?? 0) !== conversation.messages.length)
      problems.push(`${conversationId}: the list says ${listed.get(conversationId)}`);
    // What is there now is what the next writer continues.
    facts.messageIds = conversation.messages.map(({ messageId }) => messageId);
    facts.isRemoving = false;
    await conversation.close();
  }
  await store.close();
  problems.push(
    ...readdirSync(folder)
      .filter((name) => !isJournalName(name))
      .map((name) => `left behind: ${name}`),
  );
  if (problems.length > 0) throw new Error(problems.slice(0, 5).join("; "));
}

function compare(messages: readonly ConversationMessage[], facts: Acknowledged): string[] {
  const found = messages.map(({ messageId }) => messageId);
  const isAll = facts.messageIds.every((messageId, index) => found[index] === messageId);
  // One more may have been written and not yet acknowledged.
  const isRight = isAll && found.length <= facts.messageIds.length + 1;
  const isRemoved = facts.isRemoving && found.every((messageId, index) => facts.messageIds[index] === messageId);
  if (!isRight && !isRemoved) return [`holds ${found.join(",")} instead of ${facts.messageIds.join(",")}`];
  return messages.flatMap((message) => compareAnswer(message, facts));
}

function compareSummaries({ messages, summaries }: Conversation, facts: Acknowledged): string[] {
  const found = new Set(messages.map(({ messageId }) => messageId));
  const told = new Set(summaries.map(({ through }) => through));
  return [
    ...[...facts.summaries]
      .filter((through) => found.has(through) && !told.has(through))
      .map((through) => `the summary of ${through} is lost`),
    ...[...told].filter((through) => !found.has(through)).map((through) => `the summary of ${through} stands for nothing`),
  ];
}

function compareAnswer({ messageId, role, parts, interrupted }: ConversationMessage, facts: Acknowledged): string[] {
  if (role === "user") return [];
  const uses = new Set(parts.flatMap((part) => (part.type === "tool_use" ? part.toolId : [])));
  const results = new Map(parts.flatMap((part) => (part.type === "tool_result" ? [[part.toolId, part] as const] : [])));
  const ofThis = [...facts.parts].filter((part) => part.split(" ")[1]?.startsWith(messageId.slice(0, -1)));
  return [
    ...[...uses].filter((toolId) => !results.has(toolId)).map((toolId) => `the use ${toolId} has no result`),
    ...ofThis.filter((part) => part.startsWith("part ") && !uses.has(part.slice(5))).map((part) => `${part} is lost`),
    ...ofThis
      .filter((part) => part.startsWith("result ") && results.get(part.slice(7))?.isError !== undefined)
      .map((part) => `${part} is lost`),
    ...(facts.finished.has(messageId) && interrupted !== undefined ? [`the end of ${messageId} is lost`] : []),
  ];
}

const folder = mkdtempSync(join(tmpdir(), "hawser-history-soak-"));
const startedAt = performance.now();
const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(1);
let kills = 0;
try {
  for (; kills < count; kills++) {
    await writeAndKill(folder, kills);
    await check(folder);
    if (process.stdout.isTTY && kills % 20 === 19) console.log(`history: ${kills + 1} of ${count} kills, ${seconds()} s`);
  }
  console.log(`history: passed, ${count} kills, ${acknowledgements} acknowledgements, ${seconds()} s`);
} catch (error) {
  console.log(`history: FAILED after ${kills + 1} kills: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
