// Runs the steps of one scenario against one session. A step either holds or yields a failure:
// what was expected and what came instead. Every wait has an end.

import { describeThrown } from "@hawser/wire";
import type { Codec } from "@hawser/wire/node";
import { verbOf } from "./check-suite.ts";
import { excerptOf, excerptOfText } from "./excerpt.ts";
import type { MatchContext } from "./matchers.ts";
import { fillIn, findMismatch } from "./pattern.ts";
import type { Arrival, Receiver } from "./receiver.ts";
import type { ExpectedExit, Piece, Step, Suite } from "./scenario.ts";
import type { Session } from "./subject.ts";
import { within } from "./wait.ts";

export interface Conversation {
  readonly suite: Suite;
  readonly codec: Codec;
  readonly session: Session;
  readonly receiver: Receiver;
  readonly bindings: Map<string, unknown>;
  readonly timeoutMs: number;
  /** The last message that was expected, so that a second copy of it can be called by its name. */
  lastText?: string;
}

export interface Difference {
  readonly expected: string;
  readonly got: string;
}

export interface StepFailure extends Difference {
  /** Which step: "3", or "3.1 in repetition 7" inside a repeat. */
  readonly step: string;
  readonly verb: string;
}

const exitWaitMs = 1_000;

/** The first failure, or undefined when every step held. */
export async function runSteps(steps: readonly Step[], conversation: Conversation, index = 0): Promise<StepFailure | undefined> {
  for (const [position, step] of steps.entries()) {
    const number = String(position + 1);
    const failure = "repeat" in step ? await runRepeat(step, number, conversation) : await runOne(step, number, conversation, index);
    if (failure) return failure;
  }
  return undefined;
}

async function runRepeat(
  step: Extract<Step, { repeat: number }>,
  number: string,
  conversation: Conversation,
): Promise<StepFailure | undefined> {
  for (let index = 0; index < step.repeat; index++) {
    const failure = await runSteps(step.steps, conversation, index);
    if (failure) return { ...failure, step: `${number}.${failure.step} in repetition ${index + 1}` };
  }
  return undefined;
}

async function runOne(step: Step, number: string, conversation: Conversation, index: number): Promise<StepFailure | undefined> {
  const difference = await perform(step, conversation, index).catch((error: unknown) => ({
    expected: "a step that can be carried out",
    got: describeThrown(error),
  }));
  return difference && { step: number, verb: verbOf(step), ...difference };
}

async function perform(step: Step, conversation: Conversation, index: number): Promise<Difference | undefined> {
  const { session, codec, suite, bindings, timeoutMs } = conversation;
  const waitMs = ("withinMs" in step ? step.withinMs : undefined) ?? timeoutMs;
  if ("send" in step) return write(conversation, [codec.encode(fillIn(step.send, { bindings, index }))]);
  if ("sendBytes" in step) return write(conversation, [Buffer.concat([step.sendBytes].flat().map(toBytes))]);
  if ("sendSplit" in step) return write(conversation, cut(codec.encode(fillIn(step.sendSplit, { bindings, index })), step.chunkBytes));
  if ("expect" in step) return expectMessages(conversation, { patterns: [step.expect], skipping: step.skipping, index, waitMs });
  if ("expectAll" in step) return expectMessages(conversation, { patterns: step.expectAll, skipping: step.skipping, index, waitMs });
  if ("expectNothing" in step) return expectNothing(conversation, step.expectNothing);
  if ("expectExit" in step) return expectExit(conversation, step.expectExit, waitMs);
  if ("signal" in step) session.process?.kill(step.signal);
  if ("endInput" in step) session.input.end();
  if ("expectAlive" in step) {
    const unsent = await write(conversation, [codec.encode(suite.probe.send)]);
    return unsent ?? expectMessages(conversation, { patterns: [suite.probe.expect], index, waitMs });
  }
  return undefined;
}

// --- sending

const toBytes = (piece: Piece): Buffer => {
  const once = piece.base64 === undefined ? Buffer.from(piece.utf8 ?? "") : Buffer.from(piece.base64, "base64");
  const bytes = Buffer.alloc(once.length * (piece.times ?? 1));
  return once.length === 0 ? bytes : bytes.fill(once);
};

function* cut(bytes: Buffer, chunkBytes: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** Each chunk is handed to the system before the next; a subject that does not read fails the step. */
async function write(conversation: Conversation, chunks: Iterable<Buffer>): Promise<Difference | undefined> {
  const { session, timeoutMs } = conversation;
  const endsAt = performance.now() + timeoutMs;
  for (const chunk of chunks) {
    const written = new Promise<Error | null>((resolve) => session.input.write(chunk, (error) => resolve(error ?? null)));
    const outcome = await within(written, timeLeft(endsAt));
    if (outcome === null) continue;
    const expected = `the subject takes ${chunk.length} bytes`;
    if (outcome === undefined) return { expected, got: `it did not read them within ${timeoutMs} ms` };
    return { expected, got: `its input is closed (${outcome.message})${await describeExit(session)}` };
  }
  return undefined;
}

const timeLeft = (endsAt: number): number => Math.max(endsAt - performance.now(), 1);

// --- expecting

interface Expectation {
  readonly patterns: readonly unknown[];
  readonly skipping?: unknown;
  readonly index: number;
  readonly waitMs: number;
}

async function expectMessages(conversation: Conversation, expectation: Expectation): Promise<Difference | undefined> {
  const { receiver, session, bindings } = conversation;
  const { skipping, index, waitMs } = expectation;
  const missing = [...expectation.patterns];
  const endsAt = performance.now() + waitMs;
  const fail = (got: string): Difference => ({
    expected: missing.map((pattern) => excerptOf(fillIn(pattern, { bindings, index }))).join("  or  "),
    got,
  });
  while (missing.length > 0) {
    const arrival = await receiver.next(timeLeft(endsAt));
    if (arrival.kind !== "message") return fail(await describe(arrival, session, waitMs));
    const context: MatchContext = { bindings, index, text: arrival.text };
    const match = missing.findIndex((pattern) => findMismatch(pattern, arrival.value, context) === undefined);
    if (match !== -1) {
      missing.splice(match, 1);
      conversation.lastText = arrival.text;
    } else if (skipping === undefined || findMismatch(skipping, arrival.value, context) !== undefined) {
      const reason = missing.length === 1 ? findMismatch(missing[0], arrival.value, context) : "it matches none of them";
      const isDouble = arrival.text === conversation.lastText;
      return fail(`${excerptOfText(arrival.text)} (${isDouble ? "the same message a second time" : reason})`);
    } else if (performance.now() > endsAt) {
      return fail(`only messages that are skipped, for ${waitMs} ms`);
    }
  }
  return undefined;
}

async function expectNothing({ receiver, session }: Conversation, ms: number): Promise<Difference | undefined> {
  const arrival = await receiver.next(ms);
  return arrival.kind === "silence" ? undefined : { expected: `nothing for ${ms} ms`, got: await describe(arrival, session, ms) };
}

async function expectExit({ receiver, session }: Conversation, wanted: ExpectedExit, waitMs: number): Promise<Difference | undefined> {
  const expected = `an exit with ${"code" in wanted ? `code ${wanted.code}` : wanted.signal} and nothing more before it`;
  const exit = session.process && (await within(session.process.exited, waitMs));
  if (!exit && receiver.unread === 0) return { expected, got: `it still runs after ${waitMs} ms` };
  const arrival = await receiver.next(exitWaitMs);
  if (arrival.kind === "silence") return { expected, got: "it exited, but something that it started keeps its output open" };
  if (arrival.kind !== "ended" || !exit) return { expected, got: await describe(arrival, session, waitMs) };
  const isWanted = "code" in wanted ? exit.code === wanted.code : exit.signal === wanted.signal;
  return isWanted ? undefined : { expected, got: `an exit with ${exit.signal ?? `code ${exit.code}`}` };
}

/** Words for what came instead of what was expected. */
export async function describe(arrival: Arrival, session: Session, waitMs: number): Promise<string> {
  if (arrival.kind === "message") return excerptOfText(arrival.text);
  if (arrival.kind === "fault") return `${arrival.words}${arrival.isLast ? await describeExit(session) : ""}`;
  if (arrival.kind === "silence") return `nothing within ${waitMs} ms`;
  return `the end of its output${await describeExit(session)}`;
}

async function describeExit(session: Session): Promise<string> {
  const exit = session.process && (await within(session.process.exited, exitWaitMs));
  return exit ? `; it exited with ${exit.signal ?? `code ${exit.code}`}` : "";
}
