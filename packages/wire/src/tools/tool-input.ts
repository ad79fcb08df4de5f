// What a tool accepts, in the two forms that are needed: JSON Schema for clients and models, and a
// check that runs before the function does. A failed check names the field and the reason, so that
// a model can correct itself.

import { Validator, type Schema, type ValidationResult } from "@cfworker/json-schema";
import { ToolInputValidationError } from "../contract-errors.ts";
import { isStandardSchema, type JsonSchema, type StandardIssue, type ToolInput } from "../define-tool.ts";
import { describeThrown, HawserError } from "../errors.ts";
import { isRecord } from "../is-record.ts";

export interface PreparedInput {
  readonly jsonSchema: JsonSchema;
  /** The arguments as the function gets them; throws ToolInputValidationError. */
  check(toolName: string, args: Record<string, unknown>): Promise<unknown>;
}

export function prepareInput(toolName: string, input: ToolInput): PreparedInput {
  const jsonSchema = toJsonSchema(toolName, input);
  if (isStandardSchema(input)) {
    return {
      jsonSchema,
      async check(name, args) {
        const result = await input["~standard"].validate(args);
        if (result.issues) throw inputError(name, result.issues.map(describeIssue));
        return result.value;
      },
    };
  }
  let validator: Validator | undefined;
  return {
    jsonSchema,
    check(name, args) {
      validator ??= new Validator(input as Schema, "2020-12", false);
      const { valid, errors } = validate(name, validator, args);
      if (valid) return Promise.resolve(args);
      // Errors come from the outside in; the innermost one says what is really wrong.
      const problems = errors.toReversed().filter(({ keyword }) => keyword !== "properties" && keyword !== "$ref");
      return Promise.reject(
        inputError(
          name,
          problems.map(({ keyword, instanceLocation, error }) => ({
            path: toPath(instanceLocation),
            reason: keyword === "false" ? "Not allowed here." : error,
          })),
        ),
      );
    },
  };
}

// It throws where a reference leads nowhere, or out of the schema: nothing is fetched.
function validate(toolName: string, validator: Validator, args: Record<string, unknown>): ValidationResult {
  try {
    return validator.validate(args);
  } catch (cause) {
    throw new HawserError("usage", `tool "${toolName}": its schema can't be used: ${describeThrown(cause)}`, { cause });
  }
}

/** JSON Schema of a validator, or the schema itself; clients expect an object at the root. */
export function toJsonSchema(toolName: string, input: ToolInput): JsonSchema {
  if (!isStandardSchema(input)) {
    if (isRecord(input)) return Object.keys(input).length > 0 ? input : { type: "object" };
    throw new HawserError("usage", `tool "${toolName}": its schema is a Standard Schema validator or a JSON Schema object`);
  }
  const { jsonSchema, vendor } = input["~standard"];
  if (!jsonSchema) {
    throw new HawserError(
      "usage",
      `tool "${toolName}": a ${vendor} schema that can't print JSON Schema; wrap it (valibot: toStandardJsonSchema) or give JSON Schema`,
    );
  }
  const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" }) as Record<string, unknown>;
  return schema;
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

function describeIssue({ message, path = [] }: StandardIssue): Problem {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  return { path: keys.map((key) => `/${toPointerPart(String(key))}`).join(""), reason: message };
}

const toPointerPart = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
// The library writes a pointer as the fragment of a URI.
const toPath = (location: string): string => decodeURIComponent(location.replace(/^#/, ""));
const maxProblems = 5;

function inputError(toolName: string, problems: readonly Problem[]): ToolInputValidationError {
  const shown = problems.slice(0, maxProblems).map(({ path, reason }) => `${path || "(arguments)"}: ${reason.replace(/\.$/, "")}`);
  const message = `invalid arguments for tool "${toolName}": ${shown.join("; ")}. Correct them and call again`;
  return new ToolInputValidationError(message, { facts: { tool: toolName, path: problems[0]?.path ?? "" } });
}
