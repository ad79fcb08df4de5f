// What a tool accepts, in two forms: JSON Schema for clients and models, and a check that runs before the function does. A failed
// check names the field and the reason, so that a model can correct itself.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { describeThrown, HawserError, isRecord, toHawserError, ToolInputValidationError } from "@hawser/protocol/internal";
import type { JsonSchema, StandardIssue, StandardSchema, ToolInput } from "./define-tool.ts";
import { createSchemaCheck } from "./json-schema/check-value.ts";
import { maxProblems, type Problem } from "./json-schema/checking.ts";
import { isSliceOver, nextSlice } from "./json-schema/slices.ts";
import { toolLimits } from "./limits.ts";
import {
  describeAltered,
  findAlteredNumber,
  searchAlteredNumber,
  toPointer,
  widestObject,
  type AlteredNumber,
} from "@hawser/wire/internal";

export interface PreparedInput {
  readonly jsonSchema: JsonSchema;
  /** The arguments as the function gets them; rejects with ToolInputValidationError. */
  check(toolName: string, args: Record<string, unknown>): Promise<unknown>;
  /** The same; undefined where the function gets them as they are and that is known at once. */
  startCheck(toolName: string, args: Record<string, unknown>): Promise<unknown> | undefined;
}

export function prepareInput(toolName: string, input: ToolInput): PreparedInput {
  const jsonSchema = toJsonSchema(toolName, input);
  const startCheck = isStandardSchema(input) ? checkBy(input) : checkAgainst(input);
  return { jsonSchema, startCheck, check: (name, args) => startCheck(name, args) ?? Promise.resolve(args) };
}

const checkBy =
  (schema: StandardSchema): PreparedInput["check"] =>
  async (name, args) => {
    const result = await schema["~standard"].validate(args);
    if (result.issues) throw inputError(name, result.issues.map(describeIssue));
    return result.value;
  };

function checkAgainst(schema: JsonSchema): PreparedInput["startCheck"] {
  const checkValue = createSchemaCheck(schema);
  return (name, args) =>
    checkValue(args)?.then(
      (problems) => {
        if (problems.length > 0) throw inputError(name, problems);
        return args;
      },
      (error: unknown) => {
        throw toRefusal(name, error);
      },
    );
}

/** Arguments that can't be checked, because of themselves or because of the schema. */
function toRefusal(toolName: string, error: unknown): unknown {
  const { code } = toHawserError(error, "usage");
  if (code === "invalid_arguments") return inputError(toolName, [{ path: "", reason: describeThrown(error) }]);
  if (code !== "usage") return error;
  return new HawserError("usage", `tool "${toolName}": its schema can't be used: ${describeThrown(error)}`, { cause: error });
}

export const isStandardSchema = (input: unknown): input is StandardSchema =>
  (typeof input === "object" || typeof input === "function") && input !== null && "~standard" in input;

/** JSON Schema of a validator, or the schema itself; clients expect an object at the root. */
export function toJsonSchema(toolName: string, input: ToolInput): JsonSchema {
  if (!isStandardSchema(input)) {
    if (isRecord(input)) return Object.keys(input).length > 0 ? input : { type: "object" };
    throw new HawserError("usage", `tool "${toolName}": its schema is a Standard Schema validator or a JSON Schema object`);
  }
  let printed: JsonSchema | undefined;
  try {
    printed = printJsonSchema(input);
  } catch (cause) {
    throw new HawserError("usage", `tool "${toolName}": its schema can't be written as JSON Schema: ${describeThrown(cause)}`, { cause });
  }
  if (printed) return printed;
  const { vendor } = input["~standard"];
  throw new HawserError("usage", `tool "${toolName}": a ${vendor} schema that can't print JSON Schema; give JSON Schema instead`);
}

function describeIssue({ message, path = [] }: StandardIssue): Problem {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  return { path: toPointer(keys.map(String)), reason: message };
}

/** Rejects with ToolInputValidationError what `findSourceProblem` finds; undefined where nothing is, and that is known at once. */
export function checkSource(toolName: string, args: unknown, text: string, under: readonly string[]): Promise<void> | undefined {
  if (isShort(text) && !findInShort(args, text, under)) return undefined;
  return findSourceProblem(args, text, under).then((problem) => {
    if (problem) throw inputError(toolName, [problem]);
  });
}

// Of so much text all is looked at in a few milliseconds.
const shortChars = 65_536;
const isShort = (text: string): boolean => text.length < shortChars;
const findInShort = (args: unknown, text: string, under: readonly string[]): Problem | undefined =>
  findTooWide(text) ?? toProblem(findAlteredNumber(args, text, under));

/**
 * An object that is too wide to be checked, or a number that the function would not get as it was sent; `text` holds the arguments at
 * `under`. Of a long text, in slices.
 */
export async function findSourceProblem(args: unknown, text: string, under: readonly string[]): Promise<Problem | undefined> {
  if (isShort(text)) return findInShort(args, text, under);
  const tooWide = findTooWide(text);
  if (tooWide) return tooWide;
  const search = searchAlteredNumber(text, under);
  for (;;) {
    if (isSliceOver()) await nextSlice();
    const { value, done } = search.next();
    if (done) return toProblem(value);
  }
}

const toProblem = (altered: AlteredNumber | undefined): Problem | undefined =>
  altered && { path: altered.pointer, reason: describeAltered(altered.source) };

// A member takes at least a quote, a letter, a quote, a colon and a value.
const leastMemberChars = 5;

/** Arguments of which one object has too many members. */
function findTooWide(text: string): Problem | undefined {
  const { argumentMembers } = toolLimits;
  if (text.length < argumentMembers * leastMemberChars || widestObject(text) <= argumentMembers) return undefined;
  return { path: "", reason: `an object has more than ${argumentMembers} members; send a list instead` };
}

function inputError(toolName: string, problems: readonly Problem[]): ToolInputValidationError {
  const shown = problems.slice(0, maxProblems).map(({ path, reason }) => `${path || "(arguments)"}: ${reason.replace(/\.$/, "")}`);
  const message = `invalid arguments for tool "${toolName}": ${shown.join("; ")}. Correct them and call again`;
  return new ToolInputValidationError(message, { facts: { tool: toolName, path: problems[0]?.path ?? "" } });
}

// Most libraries print JSON Schema themselves, by the Standard JSON Schema interface. Valibot leaves it to a package of its
// own. It is looked for when a plain valibot schema is met and not before, so that only programs that use one need it, and
// loaded synchronously, since a tool is checked where it is defined.

const valibotPrinter = "@valibot/to-json-schema";

interface ValibotPrinter {
  toStandardJsonSchema(schema: StandardSchema): StandardSchema;
}

/** What the schema accepts, or undefined for a library that can't say it. Throws `usage` where a package is missing. */
export function printJsonSchema(schema: StandardSchema): JsonSchema | undefined {
  const isPlainValibot = !schema["~standard"].jsonSchema && schema["~standard"].vendor === "valibot";
  const { jsonSchema } = (isPlainValibot ? findValibotPrinter().toStandardJsonSchema(schema) : schema)["~standard"];
  if (!jsonSchema) return undefined;
  const { $schema: _, ...printed } = jsonSchema.input({ target: "draft-2020-12" }) as Record<string, unknown>;
  return printed;
}

// As a dependency beside this package, or of the program that runs: strict package managers show each only its own.
function findValibotPrinter(): ValibotPrinter {
  for (const from of [import.meta.url, resolve(process.argv[1] ?? "program.js")]) {
    try {
      return createRequire(from)(valibotPrinter) as ValibotPrinter;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new HawserError(
    "usage",
    `a plain valibot schema is shown to clients by the package ${valibotPrinter}, which was not found. npm install ${valibotPrinter}, or wrap the schema in its toStandardJsonSchema(…)`,
  );
}
