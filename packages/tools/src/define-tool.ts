// A tool is written once and offered through every door. Its input is any Standard Schema validator that can also print JSON Schema
// (zod, arktype, valibot with `@valibot/to-json-schema` installed), or JSON Schema itself.

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of the Standard Schema interface that we use; see standardschema.dev. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { input(options: { target: string }): object; output(options: { target: string }): object } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type ToolInput = StandardSchema | JsonSchema;

/** What `run` gets: the validator's output, or any object where only JSON Schema is given. */
export type ArgumentsOf<Input> = Input extends StandardSchema<infer Output> ? Output : Record<string, unknown>;

export type LogLevel = "debug" | "info" | "warning" | "error";

/** What a running tool may use. Progress and log reach the client when it can take them. */
export interface ToolContext {
  /** Aborted when the client cancels, times out or is gone. */
  readonly signal: AbortSignal;
  progress(done: number, total?: number, message?: string): void;
  log(message: string, level?: LogLevel): void;
  /** The MCP client that calls, as it named itself. */
  readonly client: { readonly name: string; readonly version?: string } | undefined;
}

/** Hints for clients; see the MCP specification. Claude and Codex call `readOnlyHint` tools in parallel. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolDefinition<Input extends ToolInput = ToolInput> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output?: ToolInput;
  readonly annotations?: ToolAnnotations;
  /** How many calls of this tool may run at once; unlimited unless given. */
  readonly concurrency?: number;
  /** Tools of one group never run at the same time. */
  readonly exclusiveGroup?: string;
  /** How long a result may be before Claude puts it into a file, in characters; its own limit unless given. Other clients ignore it. */
  readonly maxResultSizeChars?: number;
  /** Returns a string, any JSON value, MCP content blocks, or a whole result. */
  run(args: ArgumentsOf<Input>, context: ToolContext): unknown;
}

/** A tool whose argument types no longer matter: what lists of tools hold. */
export interface Tool extends Omit<ToolDefinition, "run"> {
  // A method, so that a tool with narrower arguments is assignable; they are checked before it runs.
  run(args: never, context: ToolContext): unknown;
}

/** Identity, with the argument types of `run` inferred from `input`. */
export function defineTool<const Input extends ToolInput>(definition: ToolDefinition<Input>): ToolDefinition<Input> {
  return definition;
}
