// Any sequence of changes, and the file cut at any byte: what is loaded is what was there after some of the
// changes, namely all that the kept bytes hold.

import { copyFileSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { ConversationMessage } from "@hawser/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Conversation } from "../../src/history/conversation-store.ts";
import { toFileName } from "../../src/history/conversation-files.ts";
import { createFileStore } from "../../src/history/file-store.ts";
import { repairAnswer } from "../../src/history/transcript.ts";
import { longTestsVariable } from "../../../../scripts/tasks/long-tests.ts";
import { answer, temporaryFolder, text, toolResult, toolUse, user } from "./stores.ts";

const numRuns = process.env[longTestsVariable] === undefined ? 25 : 500;

type Change =
  | { readonly do: "question" | "answer" | "finish" | "clear"; readonly words: string }
  | { readonly do: "parts"; readonly words: string; readonly tool: boolean }
  | { readonly do: "rename"; readonly words: string }
  | { readonly do: "truncate"; readonly at: number };

const words = fc.string({ unit: "binary", maxLength: 20 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("question" as const), words }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("answer" as const), words }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("parts" as const), words, tool: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("finish" as const), words }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), words }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("truncate" as const), at: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const), words }) },
);

async function make(conversation: Conversation, next: Change, name: string): Promise<void> {
  const last = conversation.messages.at(-1);
  switch (next.do) {
    case "question":
      return conversation.add(user(name, next.words));
    case "answer":
      return conversation.add(answer(name, [text(next.words)]));
    case "parts":
      if (last === undefined) return;
      return conversation.addParts(
        last.messageId,
        next.tool ? [toolUse(`${name}-t`), toolUse(`${name}-u`), toolResult(`${name}-u`)] : [text(next.words)],
      );
    case "finish":
      return last === undefined ? undefined : conversation.finish(last.messageId, next.words || undefined);
    case "rename":
      return conversation.rename(next.words);
    case "truncate":
      return conversation.truncate(conversation.messages[next.at]?.messageId ?? null);
    case "clear":
      return conversation.clear();
  }
}

interface Moment {
  readonly bytes: number;
  readonly messages: readonly ConversationMessage[];
  readonly isRewritten: boolean;
}

/** Answers that are in the making are not known from outside: with the reason of a repair, or as they are. */
const isSame = (found: ConversationMessage, expected: ConversationMessage): boolean =>
  [repairAnswer(expected, true), repairAnswer(expected, false)].some((message) => JSON.stringify(message) === JSON.stringify(found));

it("RUN-07 G12 a journal that was cut at any byte loads to what was there after the changes that it holds", async () => {
  const root = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 14 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
      async (changes, cuts) => {
        const folder = join(root, String(run++));
        const file = join(folder, toFileName("one"));
        const moments = await writeAll(folder, file, changes);
        const size = moments.at(-1)?.bytes ?? 0;
        for (const [index, at] of [...cuts, 1].entries()) {
          const cutFolder = join(root, `${run}-cut-${index}`);
          const bytes = Math.round(size * at);
          const found = await loadCut(file, cutFolder, bytes);
          expect(differences(found, moments, bytes)).toEqual([]);
        }
      },
    ),
    { numRuns },
  );
});

async function writeAll(folder: string, file: string, changes: readonly Change[]): Promise<Moment[]> {
  const store = createFileStore({ folder, onNotice: () => {} });
  const conversation = await store.open("one");
  const moments: Moment[] = [{ bytes: 0, messages: [], isRewritten: false }];
  for (const [index, next] of changes.entries()) {
    // A change that does not fit is refused, and must leave no trace.
    const isMade = await make(conversation, next, `m${index}`).then(
      () => true,
      () => false,
    );
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const isRewritten = isMade && (next.do === "truncate" || next.do === "clear");
    moments.push({ bytes, messages: conversation.messages, isRewritten });
  }
  await store.close();
  return moments;
}

async function loadCut(file: string, folder: string, bytes: number): Promise<readonly ConversationMessage[]> {
  const notices: string[] = [];
  const store = createFileStore({ folder, onNotice: (message) => notices.push(message) });
  await store.list();
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) {
    const copy = join(folder, toFileName("one"));
    copyFileSync(file, copy);
    truncateSync(copy, bytes);
  }
  const conversation = await store.open("one");
  const { messages } = conversation;
  // It goes on from there, and nothing was taken for damage.
  await conversation.add(user("afterwards"));
  await store.close();
  expect(readdirSync(folder).filter((name) => name.includes("damaged"))).toEqual([]);
  return messages;
}

/** Pairs of what was found and what should have been. */
function differences(found: readonly ConversationMessage[], moments: readonly Moment[], bytes: number): unknown[] {
  const begun = Math.max(
    0,
    moments.findLastIndex(({ isRewritten }) => isRewritten),
  );
  // Only the end of the line may be missing of a record that counts.
  const held = moments.slice(begun).findLast((moment) => moment.bytes - 1 <= bytes);
  const expected = held?.messages ?? moments[begun]?.messages.slice(0, found.length) ?? [];
  if (found.length !== expected.length) return [[found, expected]];
  return found.map((message, index) => [message, expected[index]!] as const).filter(([message, other]) => !isSame(message, other));
}
