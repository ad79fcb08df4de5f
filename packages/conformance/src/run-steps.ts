// Runs the steps of one scenario, one after the other. A step either holds or yields a failure: what
// was expected and what came instead.

import { describeThrown, HawserError } from "@hawser/protocol";
import { addLine, lineOf, noteSent, timeLeft, type Conversation, type Line } from "./conversation.ts";
import { describeExit, expectEnd, expectExit, expectFacts, expectMessages, expectNothing, type Difference } from "./expecting.ts";
import { fillIn } from "./pattern.ts";
import { cut, toBytes } from "./pieces.ts";
import { within } from "./receiver.ts";
import type { Step } from "./scenario.ts";
import type { Session } from "./subject.ts";
import { verbOf } from "./verbs.ts";

export interface StepFailure extends Difference {
  /** Which step: "3", or "3.1 in repetition 7" inside a repeat. */
  readonly step: string;
  readonly verb: string;
}

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
  if ("send" in step || "sendBytes" in step || "sendSplit" in step) return send(step, conversation, index);
  if ("connect" in step) return connect(conversation, step.connect);
  if ("drop" in step) drop(conversation, step.drop);
  else if ("endInput" in step) lineOf(conversation, step).channel.input.end();
  else if ("signal" in step) conversation.session.process?.kill(step.signal);
  else if ("removeSchema" in step) conversation.session.removeSchema?.();
  else if ("writeConfig" in step) conversation.session.writeConfig?.(step.writeConfig);
  else return expect(step, conversation, index);
  return undefined;
}

async function connect(conversation: Conversation, name: string): Promise<undefined> {
  const channel = await conversation.session.connect?.();
  if (!channel) throw new HawserError("usage", "this kind of subject takes no further connections");
  conversation.lines.get(name)?.channel.input.destroy();
  addLine(conversation, name, channel);
}

// What came on it before is of no interest: the subject can't know when we leave.
function drop(conversation: Conversation, name: string): void {
  lineOf(conversation, { on: name }).channel.input.destroy();
  conversation.lines.delete(name);
}

type SendStep = Extract<Step, { send: unknown } | { sendBytes: unknown } | { sendSplit: unknown }>;

async function send(step: SendStep, conversation: Conversation, index: number): Promise<Difference | undefined> {
  const { codec, bindings, session, timeoutMs } = conversation;
  const writing: Writing = { session, timeoutMs, orEnd: "orEnd" in step ? step.orEnd : undefined };
  const encode = (value: unknown): Buffer => codec.encode(fillIn(value, { bindings, index }));
  const bytes = "sendBytes" in step ? toBytes(step.sendBytes) : encode("sendSplit" in step ? step.sendSplit : step.send);
  noteSent(conversation, bytes);
  const line = lineOf(conversation, step);
  if ("sendBytes" in step && step.ahead) return void line.channel.input.write(bytes);
  return write(line, "sendSplit" in step ? cut(bytes, step.chunkBytes) : [bytes], writing);
}

interface Writing {
  readonly session: Session;
  readonly timeoutMs: number;
  /** The subject may have ended the connection. */
  readonly orEnd?: true | undefined;
}

/** Each chunk is handed to the system before the next; a subject that does not read fails the step, and so does one that closed its input. */
async function write({ channel }: Line, chunks: Iterable<Buffer>, writing: Writing): Promise<Difference | undefined> {
  const { session, timeoutMs, orEnd } = writing;
  const endsAt = performance.now() + timeoutMs;
  for (const chunk of chunks) {
    const written = new Promise<Error | null>((resolve) => channel.input.write(chunk, (error) => resolve(error ?? null)));
    const outcome = await within(written, timeLeft(endsAt));
    if (outcome === null) continue;
    const expected = `the subject takes ${chunk.length} bytes`;
    if (outcome === undefined) return { expected, got: `it did not read them within ${timeoutMs} ms` };
    return orEnd ? undefined : { expected, got: `its input is closed (${outcome.message})${await describeExit(session)}` };
  }
  return undefined;
}

async function expect(step: Step, conversation: Conversation, index: number): Promise<Difference | undefined> {
  const line = lineOf(conversation, step);
  const waitMs = ("withinMs" in step ? step.withinMs : undefined) ?? conversation.timeoutMs;
  if ("expect" in step) {
    const { skipping, orEnd } = step;
    return expectMessages(line, conversation, { patterns: [step.expect], skipping, orEnd, index, waitMs });
  }
  if ("expectAll" in step) {
    return expectMessages(line, conversation, { patterns: step.expectAll, skipping: step.skipping, index, waitMs });
  }
  if ("expectNothing" in step) return expectNothing(line, conversation, step.expectNothing);
  if ("expectEnd" in step) return expectEnd(line, conversation, waitMs);
  if ("expectExit" in step) return expectExit(line, conversation, step.expectExit, waitMs);
  if ("expectFacts" in step) return expectFacts(conversation, step.expectFacts, waitMs);
  if (!("expectAlive" in step)) return undefined;
  const { session, codec, suite, timeoutMs } = conversation;
  const probe = codec.encode(suite.probe.send);
  noteSent(conversation, probe);
  const unsent = await write(line, [probe], { session, timeoutMs });
  return unsent ?? expectMessages(line, conversation, { patterns: [suite.probe.expect], index, waitMs });
}
