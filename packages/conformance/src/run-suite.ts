// Runs a suite against a subject: each scenario in its own session, several side by side, long ones first, and the results in the
// suite's order. A failed scenario never keeps the others from running, and no session is left open, whatever happens.

import { describeThrown, HawserError } from "@hawser/protocol";
import { LENGTH_PREFIX_SIZE } from "@hawser/wire/internal/node";
import { checkSuite } from "./check-suite.ts";
import { nextOn, startConversation, type Conversation } from "./conversation.ts";
import { describe, type Difference } from "./difference.ts";
import { excerptOfText } from "./excerpt.ts";
import { runSteps, type StepFailure } from "./run-steps.ts";
import { needsProcess, type Scenario, type Step, type Suite } from "./scenario.ts";
import type { Session, Subject } from "./subject.ts";

export interface Failure extends StepFailure {
  /** What the subject was sent before it, latest last, each cut to a readable length. */
  readonly sent?: readonly string[];
  /** The end of the subject's stderr, if it wrote any. */
  readonly lastWords?: string;
}

export interface ScenarioResult {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  /** Beyond the contract: never `failed`, at most `unsupported`. */
  readonly additive?: true;
  readonly outcome: "passed" | "failed" | "unsupported" | "skipped";
  readonly ms: number;
  readonly failure?: Failure;
  /** Why it was skipped, or which part of the contract that is up to it the subject doesn't offer. */
  readonly reason?: string;
}

export interface SuiteResult {
  readonly protocol: string;
  readonly version: string;
  readonly subject: string;
  readonly passed: number;
  readonly failed: number;
  /** What the contract leaves open and the subject doesn't do: additive scenarios that it doesn't pass, and others that say so. */
  readonly unsupported: number;
  readonly skipped: number;
  readonly ms: number;
  readonly scenarios: readonly ScenarioResult[];
}

export interface RunSuiteOptions {
  /** Only the scenarios of these ids; an unknown one is a usage error. */
  readonly only?: readonly string[] | undefined;
  /** The longest wait of one step. */
  readonly timeoutMs?: number | undefined;
  /** Scenarios that run at the same time. */
  readonly concurrency?: number | undefined;
  /** Called in the suite's order, as soon as possible. */
  onResult?(result: ScenarioResult): void;
}

export const defaultTimeoutMs = 5_000;
export const defaultConcurrency = 4;
const maxLastWordsChars = 2_000;
const maxSentBytes = 240;

/** Rejects with `usage` for a suite that can't be run, and with `start_failed` when the subject can't be started. */
export async function runSuite(suite: Suite, subject: Subject, options: RunSuiteOptions = {}): Promise<SuiteResult> {
  checkSuite(suite);
  const scenarios = selectScenarios(suite, options.only);
  const results: (ScenarioResult | undefined)[] = scenarios.map(() => undefined);
  const positions = longestFirst(scenarios);
  const timeoutMs = options.timeoutMs ?? suite.timeoutMs ?? defaultTimeoutMs;
  const startedAt = performance.now();
  let next = 0;
  let reported = 0;

  async function work(): Promise<void> {
    for (let position = positions[next++]; position !== undefined; position = positions[next++]) {
      results[position] = await runScenario(suite, scenarios[position] as Scenario, subject, timeoutMs);
      for (let ready = results[reported]; ready; ready = results[++reported]) options.onResult?.(ready);
    }
  }

  const workers = Array.from({ length: options.concurrency ?? defaultConcurrency }, () => work());
  // Waits for all, even if one rejects: no session may be left behind.
  for (const settled of await Promise.allSettled(workers)) if (settled.status === "rejected") throw settled.reason;
  const ended = results as ScenarioResult[];
  const count = (outcome: ScenarioResult["outcome"]): number => ended.filter((result) => result.outcome === outcome).length;
  return {
    protocol: suite.protocol,
    version: suite.version,
    subject: subject.name,
    passed: count("passed"),
    failed: count("failed"),
    unsupported: count("unsupported"),
    skipped: count("skipped"),
    ms: Math.round(performance.now() - startedAt),
    scenarios: ended,
  };
}

// A scenario of a thousand steps that starts last would run alone at the end.
function longestFirst(scenarios: readonly Scenario[]): readonly number[] {
  const lengths = scenarios.map(({ steps }) => countSteps(steps));
  return [...scenarios.keys()].toSorted((one, other) => (lengths[other] ?? 0) - (lengths[one] ?? 0));
}

const countSteps = (steps: readonly Step[]): number =>
  steps.reduce((count, step) => count + ("repeat" in step ? step.repeat * countSteps(step.steps) : 1), 0);

/** The scenarios of these ids, or all; an unknown id is a usage error. */
export function selectScenarios(suite: Suite, only: readonly string[] | undefined): readonly Scenario[] {
  if (only === undefined) return suite.scenarios;
  const unknown = only.find((id) => !suite.scenarios.some((scenario) => scenario.id === id));
  if (unknown !== undefined) {
    const known = suite.scenarios.map((scenario) => scenario.id).join(", ");
    throw new HawserError("usage", `the ${suite.protocol} suite has no scenario "${unknown}"; it has: ${known}`);
  }
  return suite.scenarios.filter((scenario) => only.includes(scenario.id));
}

async function runScenario(suite: Suite, scenario: Scenario, subject: Subject, timeoutMs: number): Promise<ScenarioResult> {
  const { id, title, requirements, additive } = scenario;
  const startedAt = performance.now();
  const result = (outcome: ScenarioResult["outcome"], more: Partial<ScenarioResult> = {}): ScenarioResult => ({
    ...{ id, title, requirements, outcome },
    ...(additive && { additive }),
    ms: Math.round(performance.now() - startedAt),
    ...more,
  });
  if (!subject.hasProcess && needsProcess(scenario.steps)) return result("skipped", { reason: "needs a process to signal or to see exit" });
  const failed = additive ? "unsupported" : "failed";
  let session: Session | undefined;
  try {
    session = await subject.open(scenario.setup);
    const failure = await converse(suite, scenario, session, timeoutMs);
    if (!failure) return result("passed");
    if (failure.leave) return result(failure.leave.outcome, failure.leave.outcome === "passed" ? {} : { reason: failure.leave.reason });
    // Closed first, so that its last words are all there.
    await session.close();
    const lastWords = excerptOfText(session.lastWords(), maxLastWordsChars);
    return result(failed, { failure: lastWords === "" ? failure : { ...failure, lastWords } });
  } catch (error) {
    if (HawserError.isInstance(error) && error.code === "start_failed") throw error;
    return result(failed, { failure: { step: "1", verb: "start", expected: "the scenario can be run", got: describeThrown(error) } });
  } finally {
    await session?.close();
  }
}

async function converse(suite: Suite, { steps }: Scenario, session: Session, timeoutMs: number): Promise<Failure | undefined> {
  const conversation = startConversation(suite, session, timeoutMs);
  const failedStep = await runSteps(steps, conversation);
  // What it did wrong on its connections explains a failed step better than what that step saw.
  const leftover = failedStep ? undefined : await findLeftover(conversation);
  const [fault] = [...(session.faults?.() ?? []), ...conversation.faults];
  const difference = fault === undefined ? (failedStep ?? leftover) : { expected: "connections on which the protocol is kept", got: fault };
  if (!difference) return undefined;
  const sent = conversation.sent.map((bytes) => excerptOfSent(bytes, suite));
  const place = failedStep ? { step: failedStep.step, verb: failedStep.verb } : { step: String(steps.length + 1), verb: "end" };
  return { ...place, ...difference, ...(sent.length > 0 && { sent }) };
}

function excerptOfSent(bytes: Buffer, { codec }: Suite): string {
  const message = codec === "ndjson" ? bytes : bytes.subarray(LENGTH_PREFIX_SIZE);
  const shown = excerptOfText(message.subarray(0, maxSentBytes).toString("utf8").trimEnd());
  return message.length > maxSentBytes ? `${shown}… (${message.length} bytes)` : shown;
}

async function findLeftover(conversation: Conversation): Promise<Difference | undefined> {
  for (const line of conversation.lines.values()) {
    while (line.receiver.unread > 0) {
      const arrival = await nextOn(line, conversation, 1);
      if (arrival.kind === "message" || arrival.kind === "fault") {
        return { expected: "nothing more", got: await describe(arrival, conversation.session, conversation.timeoutMs) };
      }
    }
  }
  return undefined;
}
