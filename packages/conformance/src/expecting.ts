// What a subject is expected to do: messages, silence, an end, an exit, facts. Each expectation holds or yields the difference between
// what was expected and what came. Every wait is bounded.

import { setTimeout as sleep } from "node:timers/promises";
import { contextOf, nextOn, timeLeft, type Conversation, type Line } from "./conversation.ts";
import { describe, type Difference } from "./difference.ts";
import { excerptOf, excerptOfText } from "./excerpt.ts";
import { fillIn, findMismatch } from "./pattern.ts";
import { within } from "./receiver.ts";
import type { Step } from "./scenario.ts";
import { write } from "./sending.ts";

type Outcome = Promise<Difference | undefined>;

interface Expectation extends Pick<Extract<Step, { expect: unknown }>, "answering" | "leaving" | "on" | "orEnd" | "skipping"> {
  readonly patterns: readonly unknown[];
  readonly index: number;
  readonly waitMs: number;
}

const exitWaitMs = 1_000;
// After an exit: time to read the rest, even on a busy machine.
const lastOutputMs = 5_000;
const factsPollMs = 20;

export async function expectMessages(line: Line, conversation: Conversation, expectation: Expectation): Outcome {
  const { session, bindings, suite } = conversation;
  const { skipping, index, waitMs } = expectation;
  const missing = [...expectation.patterns];
  const endsAt = performance.now() + waitMs;
  const fail = (got: string): Difference => ({
    expected: missing.map((pattern) => excerptOf(fillIn(pattern, { bindings, index }))).join("  or  "),
    got,
  });
  const onlySkipped = `only messages that are skipped, for ${waitMs} ms`;
  let hasSkipped = false;
  while (missing.length > 0) {
    const arrival = await line.receiver.next(timeLeft(endsAt));
    if (arrival.kind === "silence" && hasSkipped) return fail(onlySkipped);
    if (arrival.kind === "ended" && expectation.orEnd) return undefined;
    if (arrival.kind !== "message") return fail(await describe(arrival, session, waitMs));
    const context = contextOf(conversation, arrival.text, index);
    const isLike = (pattern: unknown): boolean => findMismatch(pattern, arrival.value, context) === undefined;
    const match = missing.findIndex(isLike);
    if (match !== -1) {
      missing.splice(match, 1);
      line.lastText = arrival.text;
      continue;
    }
    const leave = expectation.leaving?.find(({ when }) => isLike(when));
    if (leave) return { ...fail(excerptOfText(arrival.text)), leave: { outcome: leave.outcome, reason: leave.reason } };
    const answer = answerTo(arrival.value, conversation, expectation);
    const unsent = answer && (await write(answer, conversation, { on: expectation.on }));
    if (unsent) return unsent;
    if (answer ?? [skipping, suite.skipping].some((pattern) => pattern !== undefined && isLike(pattern))) {
      hasSkipped = true;
      // A late expected message still counts; late skipped ones could go on forever.
      if (performance.now() > endsAt) return fail(onlySkipped);
    } else {
      const reason = missing.length === 1 ? findMismatch(missing[0], arrival.value, context) : "it matches none of them";
      const isDouble = arrival.text === line.lastText;
      return fail(`${excerptOfText(arrival.text)} (${isDouble ? "the same message a second time" : reason})`);
    }
  }
  return undefined;
}

/** The bytes of the first answer that is for this request. What its pattern binds is for that answer only. */
function answerTo(request: unknown, { codec, bindings }: Conversation, { answering = [], index }: Expectation): Buffer | undefined {
  for (const { when, send } of answering) {
    const own = { bindings: new Map(bindings), index };
    if (findMismatch(when, request, { ...own, text: "" }) === undefined) return codec.encode(fillIn(send, own));
  }
  return undefined;
}

/** Whether what was bound so far is as it must be; if not, a failure, or the end that the step names. */
export function checkGiven({ given, otherwise }: Extract<Step, { given: unknown }>, conversation: Conversation): Difference | undefined {
  const mismatch = findMismatch(given, Object.fromEntries(conversation.bindings), contextOf(conversation));
  return mismatch === undefined ? undefined : { expected: excerptOf(given), got: mismatch, ...(otherwise && { leave: otherwise }) };
}

/** Expects that no message comes: for the whole time, or before the end of the output. */
export async function expectNoMessage(line: Line, conversation: Conversation, until: "silence" | "ended", waitMs: number): Outcome {
  const arrival = await nextOn(line, conversation, waitMs);
  if (arrival.kind === until) return undefined;
  const expected = until === "silence" ? `nothing for ${waitMs} ms` : "the end of its output and nothing more before it";
  return { expected, got: await describe(arrival, conversation.session, waitMs) };
}

export async function expectExit(line: Line, conversation: Conversation, wanted: unknown, waitMs: number): Outcome {
  const { session } = conversation;
  const expected = `an exit with ${describeWanted(wanted)} and nothing more before it`;
  const exit = session.process && (await within(session.process.exited, waitMs));
  if (!exit && line.receiver.unread === 0) return { expected, got: `it still runs after ${waitMs} ms` };
  const arrival = await nextOn(line, conversation, exit ? lastOutputMs : exitWaitMs);
  if (!exit && arrival.kind === "silence") return { expected, got: `it still runs after ${waitMs} ms` };
  if (arrival.kind === "silence") return { expected, got: "it exited, but something that it started keeps its output open" };
  if (arrival.kind !== "ended" || !exit) return { expected, got: await describe(arrival, session, waitMs) };
  const isWanted = findMismatch(wanted, exit, contextOf(conversation)) === undefined;
  return isWanted ? undefined : { expected, got: `an exit with ${exit.signal ?? `code ${exit.code}`}` };
}

function describeWanted(wanted: unknown): string {
  const { code, signal } = wanted as { code?: unknown; signal?: unknown };
  if (typeof code === "number") return `code ${code}`;
  return typeof signal === "string" ? signal : excerptOf(wanted);
}

/** Polls: what a subject does to files and connections takes a moment to be seen. */
export async function expectFacts(conversation: Conversation, pattern: unknown, waitMs: number): Outcome {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const mismatch = findMismatch(pattern, conversation.session.facts?.() ?? {}, contextOf(conversation));
    if (mismatch === undefined) return undefined;
    if (performance.now() > endsAt) return { expected: excerptOf(pattern), got: mismatch };
    await sleep(factsPollMs);
  }
}
