// The verbs of a step: for each its value, where its patterns are and which modifiers it takes. `check-suite.ts` refuses any that
// isn't in this table.

import { constants } from "node:os";
import { isRecord } from "@hawser/protocol/internal";
import { isGiven, isName, isTrue, itself, type Parameter } from "./matchers.ts";
import type { Step } from "./scenario.ts";

interface Verb extends Parameter {
  readonly modifiers?: readonly string[];
}

const maxTimes = 134_217_728;
const maxRepeat = 1_000_000;

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
export const arePieces = (value: unknown): boolean => [value].flat().every(isPiece);

const pattern = { argument: "a pattern", accepts: isGiven, patterns: itself };

export const verbs: Readonly<Record<string, Verb>> = {
  send: { argument: "a JSON value", accepts: isGiven, modifiers: ["on"] },
  sendBytes: { argument: "pieces, each with utf8 or base64 and perhaps times", accepts: arePieces, modifiers: ["ahead", "on", "orEnd"] },
  sendSplit: { argument: "a JSON value", accepts: isGiven, modifiers: ["chunkBytes", "on"] },
  expect: { ...pattern, modifiers: ["answering", "leaving", "on", "orEnd", "skipping", "withinMs"] },
  expectAll: {
    argument: "an array of patterns",
    accepts: (value) => Array.isArray(value) && value.length > 0,
    modifiers: ["answering", "leaving", "on", "skipping", "withinMs"],
    patterns: (value) => value as unknown[],
  },
  expectNothing: { argument: "a number of milliseconds", accepts: isCount, modifiers: ["on"] },
  repeat: { argument: `a number from 1 to ${maxRepeat}`, accepts: (value) => isCount(value) && value <= maxRepeat, modifiers: ["steps"] },
  endInput: { argument: "true", accepts: isTrue, modifiers: ["on"] },
  expectEnd: { argument: "true", accepts: isTrue, modifiers: ["on", "withinMs"] },
  connect: { argument: "a name for the connection", accepts: isName },
  drop: { argument: "the name of a connection", accepts: isName },
  signal: { argument: "a signal's name, such as SIGTERM", accepts: isSignal },
  removeSchema: { argument: "true", accepts: isTrue },
  writeConfig: { argument: "a JSON value, or the text of the file", accepts: isGiven },
  expectExit: {
    argument: "an object with code or signal, or a matcher",
    accepts: (value) => isRecord(value) && Object.keys(value).length > 0 && Object.entries(value).every(isExitMember),
    modifiers: ["withinMs"],
    patterns: itself,
  },
  expectFacts: { ...pattern, modifiers: ["withinMs"] },
  given: { ...pattern, modifiers: ["otherwise"] },
  expectAlive: { argument: "true", accepts: isTrue, modifiers: ["on"] },
};

/** The verb of a step that was checked. */
export const verbOf = (step: Step): string => Object.keys(step).find((key) => Object.hasOwn(verbs, key)) ?? "";

const isExitMember = ([key, value]: [string, unknown]): boolean =>
  key === "code" || (key === "signal" && (typeof value !== "string" || isSignal(value))) || key.startsWith("$");

function isSignal(value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(constants.signals, value);
}

function isPiece(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { utf8, base64, times = 1, ...others } = value;
  const isText = typeof utf8 === "string" && base64 === undefined;
  const isBase64 = typeof base64 === "string" && utf8 === undefined && Buffer.from(base64, "base64").toString("base64") === base64;
  return (isText || isBase64) && isCount(times) && times <= maxTimes && Object.keys(others).length === 0;
}
