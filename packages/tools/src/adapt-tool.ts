// Tools that were written for other libraries, taken as they are: those of the AI SDK (`tool({inputSchema, execute})`, named by its
// key) and of the Agent SDK (`tool(name, description, shape, handler)`). They are recognised by shape; neither library is loaded.

import { describeThrown, HawserError } from "@hawser/protocol";
import type { JsonSchema, StandardIssue, StandardSchema, Tool, ToolContext, ToolInput } from "./define-tool.ts";
import { isStandardSchema, printJsonSchema } from "./tool-input.ts";

/** A list of tools, or tools by name as the AI SDK holds them. */
export type ToolSource = readonly unknown[] | Readonly<Record<string, unknown>>;

export function toTools(source: ToolSource): Tool[] {
  if (!isObject(source)) throw new HawserError("usage", "tools are a list, or an object with their names as its keys");
  if (Array.isArray(source)) return source.map((value, index) => toTool(value, undefined, `tool ${index}`));
  return Object.entries(source).map(([name, value]) => toTool(value, name, `tool "${name}"`));
}

/** Whether a value can be given wherever a tool can. */
export const isTool = (value: unknown): boolean => isDefinedTool(value) || isAgentSdkTool(value) || isAiSdkTool(value);

function toTool(value: unknown, name: string | undefined, label: string): Tool {
  if (isDefinedTool(value)) return value;
  if (isAgentSdkTool(value)) return fromAgentSdk(value);
  if (isAiSdkTool(value)) {
    if (name === undefined)
      throw new HawserError("usage", `${label}: an AI SDK tool has no name of its own; give an object with the name as its key`);
    return fromAiSdk(name, value);
  }
  throw new HawserError("usage", `${label} isn't a tool; use defineTool({ name, description, input, run })`);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isDefinedTool = (value: unknown): value is Tool =>
  isObject(value) && typeof value["run"] === "function" && typeof value["name"] === "string" && "input" in value;

// --- Agent SDK

interface AgentSdkTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, StandardSchema>>;
  readonly annotations?: Tool["annotations"];
  handler(args: unknown, extra: unknown): unknown;
}

const isAgentSdkTool = (value: unknown): value is AgentSdkTool =>
  isObject(value) && typeof value["handler"] === "function" && typeof value["name"] === "string" && isObject(value["inputSchema"]);

function fromAgentSdk(source: AgentSdkTool): Tool {
  return {
    name: source.name,
    description: source.description,
    input: isStandardSchema(source.inputSchema) ? source.inputSchema : fromShape(source.inputSchema),
    ...(source.annotations && { annotations: source.annotations }),
    run: (args: unknown, context: ToolContext) => source.handler(args, { signal: context.signal }),
  };
}

/** An object schema out of one schema per member. */
function fromShape(shape: Readonly<Record<string, StandardSchema>>): StandardSchema<Record<string, unknown>> {
  const members = Object.entries(shape);
  const toObjectSchema = (): object => ({
    type: "object",
    // A library that can't print JSON Schema gets a schema that accepts anything; its own check still runs.
    properties: Object.fromEntries(members.map(([name, schema]) => [name, printJsonSchema(schema) ?? {}])),
    required: members.filter(([, schema]) => !isOptional(schema)).map(([name]) => name),
  });
  return {
    "~standard": {
      version: 1,
      vendor: "hawser",
      async validate(value) {
        // Own members only: an argument may be called `constructor`.
        const given = new Map(Object.entries(isObject(value) ? value : {}));
        const output: Record<string, unknown> = {};
        const issues: StandardIssue[] = [];
        for (const [name, schema] of members) {
          const result = await schema["~standard"].validate(given.get(name));
          if (result.issues)
            issues.push(...result.issues.map((issue) => ({ message: issue.message, path: [name, ...(issue.path ?? [])] })));
          else if (result.value !== undefined) output[name] = result.value;
        }
        return issues.length > 0 ? { issues } : { value: output };
      },
      jsonSchema: { input: toObjectSchema, output: toObjectSchema },
    },
  };
}

/** A member that takes `undefined` may be left out. */
function isOptional(schema: StandardSchema): boolean {
  const result = schema["~standard"].validate(undefined);
  return !(result instanceof Promise) && result.issues === undefined;
}

// --- AI SDK

interface AiSdkTool {
  readonly description?: string;
  readonly inputSchema: unknown;
  execute(input: unknown, options: unknown): unknown;
}

const isAiSdkTool = (value: unknown): value is AiSdkTool =>
  isObject(value) && typeof value["execute"] === "function" && "inputSchema" in value;

function fromAiSdk(name: string, source: AiSdkTool): Tool {
  let calls = 0;
  return {
    name,
    description: typeof source.description === "string" ? source.description : "",
    input: aiSdkInput(name, source.inputSchema),
    async run(args: unknown, context: ToolContext) {
      const options = { toolCallId: `${name}-${++calls}`, messages: [], abortSignal: context.signal, context: undefined };
      const output = await source.execute(args, options);
      return isAsyncIterable(output) ? lastOf(output) : output;
    },
  };
}

/** A validator, or the AI SDK's own wrapper around JSON Schema, which may be made lazily. */
function aiSdkInput(name: string, inputSchema: unknown): ToolInput {
  if (isStandardSchema(inputSchema)) return inputSchema;
  const schema: unknown = typeof inputSchema === "function" ? (inputSchema as () => unknown)() : inputSchema;
  const { jsonSchema, validate } = (isObject(schema) ? schema : {}) as Partial<AiSdkSchema>;
  if (isObject(jsonSchema) && !("then" in jsonSchema)) return validate ? fromAiSdkSchema(jsonSchema, validate) : jsonSchema;
  throw new HawserError("usage", `tool "${name}": its inputSchema is neither a Standard Schema nor jsonSchema(…) of the AI SDK`);
}

interface AiSdkSchema {
  readonly jsonSchema: JsonSchema;
  readonly validate?: (value: unknown) => AiSdkValidation | PromiseLike<AiSdkValidation>;
}

type AiSdkValidation = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error };

/** A wrapper that brings its own check, such as `zodSchema(…)`: that check decides, and may transform. */
function fromAiSdkSchema(jsonSchema: JsonSchema, validate: NonNullable<AiSdkSchema["validate"]>): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "ai",
      async validate(value) {
        const result = await validate(value);
        if (result.success) return { value: result.value };
        const { issues } = result.error as { issues?: readonly StandardIssue[] };
        return { issues: issues ?? [{ message: describeThrown(result.error) }] };
      },
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  };
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> => isObject(value) && Symbol.asyncIterator in value;

/** A streaming tool yields intermediate states; the last one is its result. */
async function lastOf(values: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of values) last = value;
  return last;
}
