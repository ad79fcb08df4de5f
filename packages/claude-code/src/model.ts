// Claude Code as a model: a prompt in, an answer out, with functions of this process as its tools. A model holds
// settings and registered tools only. Each request has a session, a process and a bridge of its own, which
// are gone when it ends, so that requests of one model may overlap. The same object is a language model of the AI SDK.

import {
  NoSuchModelError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamResult,
  type ProviderV4,
} from "@ai-sdk/provider";
import type { ToolSource } from "@hawser/bridge";
import { claudeCodeLimits } from "./limits.ts";
import type { SdkMessage, McpServerConfig } from "./agent-sdk.ts";
import { createLanguageCalls, type LanguageCalls } from "./language/language-calls.ts";
import { checkOptions, type ClaudeCodeModelOptions, type RequestOptions } from "./options.ts";
import { prepareRequestPrompt, type RequestPrompt } from "./prompt.ts";
import { createRunRecord, type ClaudeCodeResult, type ClaudeCodeResultWithMetadata } from "./result.ts";
import { openCliRun } from "./run-cli.ts";
import { readRunOutput } from "./structured-output.ts";
import { createEndpoint, createToolset, selectTools, type Toolset, type ToolSelection, type ToolsetOptions } from "./toolset.ts";

export class ClaudeCodeModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "claude-code";
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  readonly options: ClaudeCodeModelOptions;
  readonly #language: LanguageCalls;
  #toolset: Toolset | undefined;
  #mcpServers: Readonly<Record<string, McpServerConfig>> = {};

  constructor(options: ClaudeCodeModelOptions = {}) {
    checkOptions(options);
    this.options = options;
    this.modelId = options.model ?? "default";
    this.#language = createLanguageCalls(options, () => this.#toolset);
  }

  /** Registers the tools of all further requests, in place of earlier ones. Starts nothing and makes no file. */
  setAgentToolsets(tools: ToolSource, options: ToolsetOptions = {}): void {
    this.#toolset = createToolset(tools, options);
    this.#mcpServers = createEndpoint(this.#toolset, this.options).mcpServers;
  }

  /** What the registered tools look like to the command line. Inert: each request has servers of its own. */
  getMcpServers(): Readonly<Record<string, McpServerConfig>> {
    return this.#mcpServers;
  }

  /** The tools that a request with these names uses. Synchronous; throws for a name that is not registered. */
  processFunctionTools(names?: readonly string[]): ToolSelection | undefined {
    return selectTools(this.#toolset, names);
  }

  async request<Output = unknown>(prompt: RequestPrompt, options: RequestOptions<Output> = {}): Promise<ClaudeCodeResult<Output>> {
    const { text, output, sessionId } = await this.requestWithMetadata(prompt, options);
    return { text, output, sessionId };
  }

  async requestWithMetadata<Output = unknown>(
    prompt: RequestPrompt,
    options: RequestOptions<Output> = {},
  ): Promise<ClaudeCodeResultWithMetadata<Output>> {
    const record = createRunRecord();
    for await (const message of this.streamMessages(prompt, options)) record.add(message);
    const output = await readRunOutput(options.schema, record);
    const metadata = record.metadata();
    return { text: record.text(), output: output as Output, sessionId: metadata.sessionId, metadata };
  }

  /** Every message of the command line. Leaving the loop early ends the request. */
  async *streamMessages(prompt: RequestPrompt, options: RequestOptions = {}): AsyncGenerator<SdkMessage, void> {
    const selection = this.processFunctionTools(options.tools);
    const prepared = prepareRequestPrompt(prompt);
    const { schema, includePartialMessages, resume, forkSession } = options;
    const run = await openCliRun({
      options: this.options,
      selection,
      prompt: prepared,
      guard: { signal: options.signal, ms: this.options.timeoutMs ?? claudeCodeLimits.claudeRequestMs, what: "the request" },
      system: prepared.system,
      schema,
      includePartialMessages,
      resume,
      forkSession,
    });
    try {
      for (let message = await run.next(); message !== undefined; message = await run.next()) yield message;
    } finally {
      await run.close();
    }
  }

  /** For the AI SDK: `generateText({ model })`. */
  doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return this.#language.generate(options);
  }

  /** For the AI SDK: `streamText({ model })`. */
  doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return this.#language.stream(options);
  }

  /** Ends what still waits for results of tools that were handed out. The model can be used again. */
  async close(): Promise<void> {
    await this.#language.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

// --- as users of the AI SDK know it from other providers

type ModelOptions = Omit<ClaudeCodeModelOptions, "model">;

export interface ClaudeCodeProvider extends ProviderV4 {
  /** A model by its name or alias; Claude Code's own default without one. */
  (modelId?: string, options?: ModelOptions): ClaudeCodeModel;
  languageModel(modelId?: string, options?: ModelOptions): ClaudeCodeModel;
}

/** A provider whose models have these options unless they are given others. */
export function createClaudeCode(defaults: ModelOptions = {}): ClaudeCodeProvider {
  const create = (modelId?: string, options?: ModelOptions): ClaudeCodeModel =>
    new ClaudeCodeModel({ ...defaults, ...options, ...(modelId !== undefined && { model: modelId }) });
  const refuse =
    (modelType: "embeddingModel" | "imageModel") =>
    (modelId: string): never => {
      throw new NoSuchModelError({ modelId, modelType });
    };
  return Object.assign(create, {
    specificationVersion: "v4" as const,
    languageModel: create,
    embeddingModel: refuse("embeddingModel"),
    imageModel: refuse("imageModel"),
  });
}

/** The provider without options: `claudeCode("sonnet")`. */
export const claudeCode: ClaudeCodeProvider = createClaudeCode();
