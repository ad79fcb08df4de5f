// Refuses a suite that the runner would not understand, before anything is started. A typing error in a scenario must never look like
// a fault of the subject, or like a scenario that passed.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { findNameFault } from "./check-names.ts";
import { isGiven, isName, isTrue, matchers } from "./matchers.ts";
import { isMatcherObject } from "./pattern.ts";
import type { Setup, Suite } from "./scenario.ts";
import { arePieces, isCount, verbs } from "./verbs.ts";

/** Throws `usage`, naming the scenario and the step, unless the suite can be run. */
export function checkSuite(suite: Suite): void {
  if (suite.codec !== "ndjson" && suite.codec !== "length-prefix") {
    fail(`suite ${suite.protocol}`, `codec must be ndjson or length-prefix, not ${String(suite.codec)}`);
  }
  checkPattern(`suite ${suite.protocol}, probe`, suite.probe.expect, []);
  checkPattern(`suite ${suite.protocol}, skipping`, suite.skipping, []);
  checkDialect(suite);
  const ids = new Set<string>();
  for (const scenario of suite.scenarios) {
    const place = `scenario ${scenario.id}`;
    if (ids.has(scenario.id)) fail(place, "there are two of this id");
    ids.add(scenario.id);
    if (scenario.requirements.length === 0) fail(place, "it names no requirement");
    const unknown = scenario.requirements.find((id) => suite.rules && !Object.hasOwn(suite.rules, id));
    if (unknown !== undefined) fail(place, `the suite has no rule "${unknown}"`);
    checkSetup(place, scenario.setup ?? {});
    checkSteps(place, scenario.steps);
    const nameFault = findNameFault(scenario, suite.given);
    if (nameFault !== undefined) fail(place, nameFault);
  }
}

function checkDialect({ protocol, dialect }: Suite): void {
  for (const [method, { params, offered }] of Object.entries({ ...dialect?.requests, ...dialect?.notifications })) {
    for (const pattern of [params, offered]) checkPattern(`suite ${protocol}, ${method}`, pattern, []);
  }
  for (const [method, pattern] of Object.entries(dialect?.results ?? {}))
    checkPattern(`suite ${protocol}, result of ${method}`, pattern, []);
}

// --- setup

const setupMembers: Readonly<Record<string, (value: unknown) => boolean>> = {
  schema: () => true,
  schemaBytes: arePieces,
  listen: (value) => value === false,
  answers: Array.isArray,
  paths: (value) => [0, 1, 3].includes(value as number),
  umask: (value) => Number.isSafeInteger(value),
  flags: (value) => Array.isArray(value) && value.every((flag) => typeof flag === "string"),
  document: () => true,
  config: () => true,
};

const answerMembers: Readonly<Record<string, (value: unknown) => boolean>> = {
  when: isGiven,
  send: () => true,
  sendBytes: arePieces,
  chunkBytes: isCount,
  afterMs: isCount,
  close: isTrue,
  aside: isTrue,
};

function checkSetup(place: string, setup: Setup): void {
  checkMembers(`${place}, setup`, setup, setupMembers);
  for (const [position, answer] of (setup.answers ?? []).entries()) {
    const answerPlace = `${place}, answer ${position + 1}`;
    checkMembers(answerPlace, answer, answerMembers);
    checkPattern(answerPlace, answer.when, []);
  }
}

function checkMembers(place: string, value: object, members: typeof setupMembers): void {
  for (const [name, member] of Object.entries(value)) {
    if (!Object.hasOwn(members, name)) fail(place, `there is no "${name}"; known are ${Object.keys(members).join(", ")}`);
    if (!members[name]?.(member)) fail(place, `"${name}" can't be this`);
  }
}

// --- steps

function checkSteps(place: string, steps: unknown): void {
  if (!Array.isArray(steps) || steps.length === 0) fail(place, "it has no steps");
  for (const [position, step] of (steps as unknown[]).entries()) checkStep(`${place}, step ${position + 1}`, step);
}

function checkStep(place: string, step: unknown): void {
  if (!isRecord(step)) fail(place, "a step is an object");
  const found = Object.keys(step).filter((key) => Object.hasOwn(verbs, key));
  const [name = ""] = found;
  const verb = verbs[name];
  if (!verb || found.length > 1) {
    fail(place, `a step has exactly one of ${Object.keys(verbs).join(", ")}; this one has ${Object.keys(step).join(", ") || "nothing"}`);
  }
  for (const key of Object.keys(step)) {
    if (key !== name && !verb.modifiers?.includes(key)) fail(place, `"${key}" does not belong to ${name}`);
  }
  const argument = step[name];
  if (!verb.accepts(argument)) fail(place, `${name} takes ${verb.argument}`);
  if ("ahead" in step && step["ahead"] !== true) fail(place, "ahead takes true");
  if ("withinMs" in step && !isCount(step["withinMs"])) fail(place, "withinMs takes a number of milliseconds");
  if (name === "sendSplit" && !isCount(step["chunkBytes"])) fail(place, "sendSplit needs chunkBytes, a number of at least 1");
  if (name === "repeat") checkSteps(place, step["steps"]);
  for (const pattern of verb.patterns?.(argument) ?? []) checkPattern(place, pattern, []);
  checkPattern(place, step["skipping"], []);
  checkPlaying(place, step);
}

const outcomes = ["unsupported", "skipped", "passed"];

function checkPlaying(place: string, { answering = [], leaving = [], otherwise }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(answering) || !Array.isArray(leaving)) fail(place, "answering and leaving take arrays");
  for (const answer of answering as Record<string, unknown>[]) {
    checkMembers(place, answer, { when: isGiven, send: isGiven });
    checkPattern(place, answer["when"], []);
  }
  const leaves = [...leaving, ...(otherwise === undefined ? [] : [otherwise])] as Record<string, unknown>[];
  for (const leave of leaves) {
    checkMembers(place, leave, { when: isGiven, outcome: (value) => outcomes.includes(value as string), reason: isName });
    if (leave["outcome"] === undefined || leave["reason"] === undefined) fail(place, "a way to leave has an outcome and a reason");
    checkPattern(place, leave["when"], []);
  }
}

// --- patterns

function checkPattern(place: string, pattern: unknown, path: readonly string[]): void {
  if (isMatcherObject(pattern)) {
    for (const [name, argument] of Object.entries(pattern)) checkMatcher(place, name, argument, path);
  } else if (typeof pattern === "object" && pattern !== null) {
    for (const [name, member] of Object.entries(pattern)) checkPattern(place, member, [...path, name]);
  }
}

function checkMatcher(place: string, name: string, argument: unknown, path: readonly string[]): void {
  const matcher = Object.hasOwn(matchers, name) ? matchers[name] : undefined;
  if (!matcher) fail(place, `unknown matcher "${name}"; known are ${Object.keys(matchers).join(", ")}`);
  if (!matcher.accepts(argument)) fail(place, `${name} takes ${matcher.argument}`);
  if (name === "$source" && path.length !== 1) fail(place, "$source stands for a member at the top of a message");
  for (const pattern of matcher.patterns?.(argument) ?? []) checkPattern(place, pattern, path);
}

function fail(place: string, problem: string): never {
  throw new HawserError("usage", `${place}: ${problem}`);
}
