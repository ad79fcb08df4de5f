// The value out of an answer. The command line is asked for one that fits a schema and usually gives it; but
// it also comes wrapped in another object, as JSON inside a string, in the text around a code fence, or not
// at all. Every candidate is checked against the schema; the first that fits is the answer. If none
// fits, the error says why.

import { cutText, describeThrown, isRecord, protocolLimits } from "@hawser/protocol/internal";
import { prepareInput } from "@hawser/tools/internal";
import { StructuredOutputError } from "./errors.ts";
import type { OutputSchema } from "./options.ts";
import { checkResult, type RunRecord } from "./result.ts";

export interface AnswerSources {
  /** What the command line calls the structured output. */
  readonly structured: unknown;
  /** What the model gave as such, taken or not. */
  readonly lastInput: unknown;
  readonly text: string;
}

/** The value of a run that has ended; undefined where none was asked for. Throws also what its result says went wrong. */
export async function readRunOutput(schema: OutputSchema | undefined, record: RunRecord): Promise<unknown> {
  const { result, lastStructuredInput } = record;
  // A run that gave up on the schema may have given an answer that fits, in its own way.
  if (result?.subtype !== "error_max_structured_output_retries") checkResult(result);
  return (
    schema && readStructuredOutput(schema, { structured: result?.structured_output, lastInput: lastStructuredInput, text: record.text() })
  );
}

const subject = "structured output";
// An object in an object in a string; deeper ones were never seen.
const maxUnwrapped = 3;

export async function readStructuredOutput(schema: OutputSchema, { structured, lastInput, text }: AnswerSources): Promise<unknown> {
  const { check } = prepareInput(subject, schema);
  let problem: unknown;
  for (const source of [structured, lastInput, ...jsonTextsIn(text)]) {
    for (const candidate of candidatesIn(source)) {
      try {
        return await check(subject, candidate as Record<string, unknown>);
      } catch (error) {
        // The first is about what was meant as the answer.
        problem ??= error;
      }
    }
  }
  const beginning = cutText(text, protocolLimits.maxErrorTextChars);
  const reason = problem === undefined ? "there is no JSON in it" : aboutTheValue(describeThrown(problem));
  throw new StructuredOutputError(`the answer has no value that fits the schema: ${reason}`, {
    cause: problem,
    facts: { text: beginning },
  });
}

/** The check speaks of a tool's arguments. */
const aboutTheValue = (problem: string): string =>
  problem
    .replace(/^invalid arguments for tool "[^"]*": /, "")
    .replace(/\. Correct them and call again$/, "")
    .replaceAll("(arguments)", "the value");

/** The value itself, what a string of JSON holds, and what an object around it holds. */
function* candidatesIn(value: unknown, depth = 0): Generator<unknown> {
  if (value === undefined || depth > maxUnwrapped) return;
  yield value;
  if (typeof value === "string") for (const inner of jsonTextsIn(value)) yield* candidatesIn(inner, depth + 1);
  if (!isRecord(value)) return;
  const members = Object.values(value);
  if (members.length === 1) yield* candidatesIn(members[0], depth + 1);
  // An object whose members were written as text.
  const parsed = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOr(member)]));
  if (members.some((member, index) => Object.values(parsed)[index] !== member)) yield parsed;
}

/** JSON as a whole, in a code fence, or from the first bracket to the last. */
function* jsonTextsIn(text: string): Generator<unknown> {
  // Every second piece stands in a fence; the first line of it may say that it is JSON.
  const fences = text.split("```").filter((_, index) => index % 2 === 1);
  const insides = fences.map((fence) => fence.replace(/^json\b/i, ""));
  for (const candidate of [text, ...insides, between(text, "{", "}"), between(text, "[", "]")]) {
    const value = parseOr(candidate);
    if (value !== undefined) yield value;
  }
}

const between = (text: string, first: string, last: string): string => text.slice(text.indexOf(first), text.lastIndexOf(last) + 1);

const jsonOr = (member: unknown): unknown => (typeof member === "string" && /^\s*[[{]/.test(member) ? parseOr(member, member) : member);

function parseOr(text: string, fallback?: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fallback;
  }
}
