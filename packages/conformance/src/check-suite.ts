// Refuses a suite that the runner would not understand, before anything is started. A typing error
// in a scenario must never look like a fault of the subject, or like a scenario that passed.

import { HawserError } from "@hawser/wire";
import { matchers } from "./matchers.ts";
import { isMatcherObject, isObject } from "./pattern.ts";
import type { Step, Suite } from "./scenario.ts";

const maxTimes = 134_217_728;
const maxRepeat = 1_000_000;

interface Verb {
  /** What the verb's value must be. */
  readonly argument: string;
  accepts(argument: unknown): boolean;
  readonly modifiers?: readonly string[];
  /** The patterns in the verb's value. */
  patterns?(argument: unknown): readonly unknown[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
const isTrue = (value: unknown): boolean => value === true;

const verbs: Readonly<Record<string, Verb>> = {
  send: { argument: "a JSON value", accepts: (value) => value !== undefined },
  sendBytes: { argument: "pieces, each with utf8 or base64 and perhaps times", accepts: (value) => [value].flat().every(isPiece) },
  sendSplit: { argument: "a JSON value", accepts: (value) => value !== undefined, modifiers: ["chunkBytes"] },
  expect: {
    argument: "a pattern",
    accepts: (value) => value !== undefined,
    modifiers: ["skipping", "withinMs"],
    patterns: (value) => [value],
  },
  expectAll: {
    argument: "an array of patterns",
    accepts: (value) => Array.isArray(value) && value.length > 0,
    modifiers: ["skipping", "withinMs"],
    patterns: (value) => value as unknown[],
  },
  expectNothing: { argument: "a number of milliseconds", accepts: isCount },
  repeat: { argument: `a number from 1 to ${maxRepeat}`, accepts: (value) => isCount(value) && value <= maxRepeat, modifiers: ["steps"] },
  endInput: { argument: "true", accepts: isTrue },
  signal: { argument: "a signal's name, such as SIGTERM", accepts: (value) => typeof value === "string" && /^SIG[A-Z0-9]+$/.test(value) },
  expectExit: { argument: "an object with code or signal", accepts: isExit, modifiers: ["withinMs"] },
  expectAlive: { argument: "true", accepts: isTrue },
};

/** The verb of a step that was checked: what it does, and not how. */
export const verbOf = (step: Step): string => Object.keys(step).find((key) => Object.hasOwn(verbs, key)) ?? "";

/** Throws `usage`, naming the scenario and the step, unless the suite can be run. */
export function checkSuite(suite: Suite): void {
  if (suite.codec !== "ndjson" && suite.codec !== "length-prefix") {
    fail(`suite ${suite.protocol}`, `codec must be ndjson or length-prefix, not ${String(suite.codec)}`);
  }
  checkPattern(`suite ${suite.protocol}, probe`, suite.probe.expect, []);
  const ids = new Set<string>();
  for (const scenario of suite.scenarios) {
    const place = `scenario ${scenario.id}`;
    if (ids.has(scenario.id)) fail(place, "there are two of this id");
    ids.add(scenario.id);
    if (scenario.requirements.length === 0) fail(place, "it names no requirement");
    checkSteps(place, scenario.steps);
    checkNames(place, scenario.steps);
  }
}

// A name that no pattern binds would be sent as it is written, or never match: a typing error either way.
function checkNames(place: string, steps: unknown): void {
  const bound = new Set(namesUnder("$bind", steps));
  for (const name of namesUnder("$same", steps)) if (!bound.has(name)) fail(place, `$same: nothing is bound to "${name}"`);
}

function namesUnder(matcher: "$bind" | "$same", value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === matcher && typeof member === "string" ? [member] : namesUnder(matcher, member),
  );
}

function checkSteps(place: string, steps: unknown): void {
  if (!Array.isArray(steps) || steps.length === 0) fail(place, "it has no steps");
  for (const [position, step] of (steps as unknown[]).entries()) checkStep(`${place}, step ${position + 1}`, step);
}

function checkStep(place: string, step: unknown): void {
  if (!isObject(step)) fail(place, "a step is an object");
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
  if ("withinMs" in step && !isCount(step["withinMs"])) fail(place, "withinMs takes a number of milliseconds");
  if (name === "sendSplit" && !isCount(step["chunkBytes"])) fail(place, "sendSplit needs chunkBytes, a number of at least 1");
  if (name === "repeat") checkSteps(place, step["steps"]);
  for (const pattern of verb.patterns?.(argument) ?? []) checkPattern(place, pattern, []);
  checkPattern(place, step["skipping"], []);
}

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
}

function isPiece(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { utf8, base64, times = 1, ...others } = value;
  const isText = typeof utf8 === "string" && base64 === undefined;
  const isBase64 = typeof base64 === "string" && utf8 === undefined && Buffer.from(base64, "base64").toString("base64") === base64;
  return (isText || isBase64) && isCount(times) && times <= maxTimes && Object.keys(others).length === 0;
}

function isExit(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  return Number.isSafeInteger(value["code"]) || typeof value["signal"] === "string";
}

function fail(place: string, problem: string): never {
  throw new HawserError("usage", `${place}: ${problem}`);
}
