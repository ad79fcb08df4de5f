// Runs the steps of one scenario, one after the other. A step holds or yields a failure: what was expected and what came instead.

import { describeThrown, HawserError } from "@hawser/protocol";
import { addLine, lineOf, type Conversation } from "./conversation.ts";
import type { Difference } from "./difference.ts";
import { checkGiven, expectExit, expectFacts, expectMessages, expectNoMessage } from "./expecting.ts";
import { fillIn } from "./pattern.ts";
import { toBytes } from "./pieces.ts";
import type { Step } from "./scenario.ts";
import { write } from "./sending.ts";
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
    if (!("repeat" in step)) {
      const failure = await runOne(step, number, conversation, index);
      if (failure) return failure;
      continue;
    }
    for (let repetition = 0; repetition < step.repeat; repetition++) {
      const failure = await runSteps(step.steps, conversation, repetition);
      if (failure) return { ...failure, step: `${number}.${failure.step} in repetition ${repetition + 1}` };
    }
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

// Unread messages are ignored: the subject can't know when we leave.
function drop(conversation: Conversation, name: string): void {
  lineOf(conversation, { on: name }).channel.input.destroy();
  conversation.lines.delete(name);
}

type SendStep = Extract<Step, { send: unknown } | { sendBytes: unknown } | { sendSplit: unknown }>;

function send(step: SendStep, conversation: Conversation, index: number): Promise<Difference | undefined> {
  if ("sendBytes" in step) return write(toBytes(step.sendBytes), conversation, step);
  const value = fillIn("send" in step ? step.send : step.sendSplit, { bindings: conversation.bindings, index });
  return write(conversation.codec.encode(value), conversation, step);
}

async function expect(step: Step, conversation: Conversation, index: number): Promise<Difference | undefined> {
  const line = lineOf(conversation, step);
  const waitMs = ("withinMs" in step ? step.withinMs : undefined) ?? conversation.timeoutMs;
  if ("expect" in step) return expectMessages(line, conversation, { ...step, patterns: [step.expect], index, waitMs });
  if ("expectAll" in step) return expectMessages(line, conversation, { ...step, patterns: step.expectAll, index, waitMs });
  if ("expectNothing" in step) return expectNoMessage(line, conversation, "silence", step.expectNothing);
  if ("expectEnd" in step) return expectNoMessage(line, conversation, "ended", waitMs);
  if ("expectExit" in step) return expectExit(line, conversation, step.expectExit, waitMs);
  if ("given" in step) return checkGiven(step, conversation);
  if ("expectFacts" in step) return expectFacts(conversation, step.expectFacts, waitMs);
  if (!("expectAlive" in step)) return undefined;
  const { send: request, expect: answer } = conversation.suite.probe;
  const unsent = await write(conversation.codec.encode(request), conversation, step);
  return unsent ?? expectMessages(line, conversation, { patterns: [answer], index, waitMs });
}
