// The calls of the AI SDK. A call is one step of a run of the command line: of the one that waits for the results which the
// prompt ends with, else of one that resumes the session of the conversation, else of a new one. A step that hands
// out tool calls ends while its run waits.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { claudeCodeLimits } from "../limits.ts";
import { CLIExecutionError, CLIResponseParseError } from "../errors.ts";
import type { ClaudeCodeModelOptions, OutputSchema } from "../options.ts";
import { joinInstructions } from "../prompt.ts";
import { createRunRecord } from "../result.ts";
import { openCliRun } from "../run-cli.ts";
import type { RunGuard } from "../run-ending.ts";
import { createToolset, defaultServerName, selectTools, type Toolset, type ToolSelection } from "../toolset.ts";
import { prepareCallPrompt, splitPrompt, warningsFor } from "./call-prompt.ts";
import { createConversations, type KnownSession } from "./conversations.ts";
import { createHandedCalls } from "./handed-calls.ts";
import { foldStep, readStep, toCallError, toStepStream, type LanguageRun, type StepHooks, type StepRequest } from "./steps.ts";
import { createWaitingRuns } from "./waiting-runs.ts";

export type LanguageCalls = ReturnType<typeof createLanguageCalls>;

interface OpenStep {
  current: StepRequest;
  /** With a run that waited, or with a session. */
  readonly goesOn: boolean;
}

export function createLanguageCalls(options: ClaudeCodeModelOptions, registered: () => Toolset | undefined) {
  const conversations = createConversations();
  const waiting = createWaitingRuns(options.toolResultTimeoutMs ?? claudeCodeLimits.claudeToolResultMs);
  // What the caller has decided about sessions is not decided again.
  const isResuming = options.persistSession !== false && options.resume === undefined && options.continue !== true;

  async function openRun(call: LanguageModelV4CallOptions, session?: KnownSession): Promise<StepRequest> {
    const warnings = warningsFor(call);
    const prompt = prepareCallPrompt(call.prompt, session !== undefined, warnings);
    const functionTools = call.toolChoice?.type === "none" ? [] : (call.tools ?? []).filter((tool) => tool.type === "function");
    const handed = createHandedCalls(functionTools);
    const selection = call.toolChoice?.type === "none" ? undefined : toSelection(functionTools, handed.tools, registered());
    const json = call.responseFormat?.type === "json" ? call.responseFormat : undefined;
    const schema = json?.schema as OutputSchema | undefined;
    const cli = await openCliRun({
      options,
      selection,
      prompt,
      guard: guardOf(call),
      system: json && !schema ? joinInstructions(prompt.system, jsonRequest) : prompt.system,
      schema,
      includePartialMessages: true,
      keepsAlive: functionTools.length === 0,
      ...(session !== undefined && { resume: session.sessionId, forkSession: true }),
    }).catch((error: unknown) => {
      throw toCallError(call, error);
    });
    const names = functionTools.length > 0 && selection ? selection.names : new Map<string, string>();
    const run: LanguageRun = { cli, handed, names, schema, record: createRunRecord(), pastCostUsd: session?.costUsd ?? 0, calls: [] };
    return { run, call, warnings };
  }

  /** A step goes on with a run that waits, or with the session of its conversation, or begins anew. */
  async function openStep(call: LanguageModelV4CallOptions): Promise<OpenStep> {
    const run = await waiting.take(call, guardOf(call));
    if (run) return { current: { run, call, warnings: warningsFor(call) }, goesOn: true };
    const session = isResuming ? conversations.find(splitPrompt(call.prompt).earlier) : undefined;
    return { current: await openRun(call, session), goesOn: session !== undefined };
  }

  /**
   * What the step goes on with may be gone: the session's file removed, the command line killed as the results came
   * back. The caller has the whole conversation, so where nothing was said yet, a new run is told of it.
   */
  async function* read(step: OpenStep): AsyncGenerator<LanguageModelV4StreamPart> {
    const { call, warnings } = step.current;
    yield { type: "stream-start", warnings: [...warnings] };
    let isSaid = false;
    try {
      for await (const part of readStep(step.current, hooks)) {
        isSaid ||= part.type !== "response-metadata" && part.type !== "raw";
        yield part;
      }
      return;
    } catch (error) {
      if (isSaid || !step.goesOn || !hasEndedByItself(error)) throw error;
    }
    conversations.forget(splitPrompt(call.prompt).earlier);
    step.current = await openRun(call);
    yield* readStep(step.current, hooks);
  }

  const guardOf = (call: LanguageModelV4CallOptions): RunGuard => ({
    signal: call.abortSignal,
    ms: options.timeoutMs ?? claudeCodeLimits.claudeRequestMs,
    what: "the step",
  });

  const hooks: StepHooks = {
    park: waiting.park,
    onFinished(prompt, answer, { sessionId, costUsd }) {
      if (isResuming) conversations.remember(prompt, answer, { sessionId, costUsd });
    },
  };

  return {
    async generate(call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
      const step = await openStep(call);
      return foldStep(read(step), step.current.warnings);
    },
    async stream(call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
      const step = await openStep(call);
      const endRun = async (reason: Error): Promise<void> => {
        const { cli } = step.current.run;
        cli.fail(reason);
        await cli.close();
      };
      return { stream: toStepStream(read(step), endRun) };
    },
    close: waiting.close,
  };
}

/** Not by its caller, its time, a limit that was set or an API that has answered: a new run would get the same answer. */
function hasEndedByItself(error: unknown): boolean {
  if (error instanceof CLIResponseParseError) return true;
  if (!(error instanceof CLIExecutionError)) return false;
  const { subtype, status } = error.facts;
  return !String(subtype).startsWith("error_max_") && typeof status !== "number";
}

/** The call's own tools are handed out; without any, the registered ones run here, inside the step. */
function toSelection(
  functionTools: readonly LanguageModelV4FunctionTool[],
  tools: Parameters<typeof createToolset>[0],
  registered: Toolset | undefined,
): ToolSelection | undefined {
  if (functionTools.length === 0) return selectTools(registered);
  const { serverName = defaultServerName, transport = "auto" } = registered ?? {};
  return selectTools(createToolset(tools, { serverName, transport }));
}

const jsonRequest = "Answer with one JSON value and nothing else: no explanation, no code fence.";
