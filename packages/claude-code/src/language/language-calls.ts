// The calls of the AI SDK. A call is one step of a run of the command line: a new run, or the one that waits for the results
// which the prompt ends with. A step that hands out tool calls ends while the run waits; a run whose results
// never come is ended after a while, or as soon as its conversation goes on without it.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { limits } from "@hawser/wire";
import { throwIfAborted } from "../abort.ts";
import { CLIExecutionError } from "../errors.ts";
import type { ClaudeCodeModelOptions, OutputSchema } from "../options.ts";
import { createRunRecord } from "../result.ts";
import { openCliRun } from "../run-cli.ts";
import { createToolset, defaultServerName, selectTools, type Toolset, type ToolSelection } from "../toolset.ts";
import { callIdsIn, finalResults, prepareCallPrompt, splitPrompt } from "./call-prompt.ts";
import { createConversations } from "./conversations.ts";
import { createHandedCalls } from "./handed-calls.ts";
import { foldStep, toStepStream } from "./step-results.ts";
import { readStep, type LanguageRun, type StepRequest } from "./steps.ts";
import { warningsFor } from "./warnings.ts";

export interface LanguageCalls {
  generate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult>;
  stream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult>;
  close(): Promise<void>;
}

export function createLanguageCalls(options: ClaudeCodeModelOptions, registered: () => Toolset | undefined): LanguageCalls {
  const conversations = createConversations();
  const waiting = new Set<LanguageRun>();
  // What the caller has decided about sessions is not decided again.
  const isResuming = options.persistSession !== false && options.resume === undefined && options.continue !== true;

  async function leave(run: LanguageRun): Promise<void> {
    waiting.delete(run);
    run.release?.();
    await run.cli.close();
  }

  /** The run that waits for what the prompt brings. Others of the same conversation are over. */
  async function takeWaiting({ prompt }: LanguageModelV4CallOptions): Promise<LanguageRun | undefined> {
    const results = finalResults(prompt);
    const mentioned = callIdsIn(prompt);
    let taken: LanguageRun | undefined;
    for (const run of [...waiting]) {
      if (!run.calls.some(({ toolCallId }) => mentioned.has(toolCallId))) continue;
      if (!taken && results && run.calls.some(({ toolCallId }) => results.has(toolCallId))) taken = run;
      else await leave(run);
    }
    if (!taken || !results) return undefined;
    waiting.delete(taken);
    taken.release?.();
    taken.cli.setKeepsAlive(true);
    taken.handed.settle(taken.calls, results);
    return taken;
  }

  /** The run waits for results; within their time, and without keeping this process alive. */
  function park(run: LanguageRun): void {
    waiting.add(run);
    run.cli.setKeepsAlive(false);
    const timer = setTimeout(() => void leave(run), options.toolResultTimeoutMs ?? limits.claudeToolResultMs);
    timer.unref();
    run.release = () => clearTimeout(timer);
    // One that died has nothing to wait for; the conversation goes on in a new one.
    void run.cli.gone.then(() => (waiting.has(run) ? leave(run) : undefined));
    const [oldest] = waiting;
    if (waiting.size > limits.claudeWaitingEntries && oldest) void leave(oldest);
  }

  async function openRun(call: LanguageModelV4CallOptions): Promise<StepRequest> {
    const { earlier } = splitPrompt(call.prompt);
    const session = isResuming ? conversations.find(earlier) : undefined;
    if (session === undefined) return openFresh(call);
    const step = await openFresh(call, session);
    if (await isResumed(step)) return step;
    // Its file may have been removed; the conversation is with the caller.
    conversations.forget(earlier);
    await step.run.cli.close();
    return openFresh(call);
  }

  async function openFresh(call: LanguageModelV4CallOptions, session?: string): Promise<StepRequest> {
    const { prepared, warnings } = prepareCallPrompt(call.prompt, session !== undefined);
    const functionTools = call.toolChoice?.type === "none" ? [] : (call.tools ?? []).filter((tool) => tool.type === "function");
    const handed = createHandedCalls(functionTools);
    const selection = call.toolChoice?.type === "none" ? undefined : toSelection(functionTools, handed.tools, registered());
    const schema = schemaOf(call);
    const cli = await openCliRun({
      options,
      selection,
      prompt: prepared,
      system: withJsonRequest(prepared.system, call),
      schema,
      includePartialMessages: true,
      keepsAlive: functionTools.length === 0,
      ...(session !== undefined && { resume: session, forkSession: true }),
    });
    const names = functionTools.length > 0 && selection ? selection.names : new Map<string, string>();
    const run: LanguageRun = { cli, handed, names, schema, record: createRunRecord(), calls: [], release: undefined };
    return { run, call, warnings: [...warningsFor(call), ...warnings] };
  }

  /** Whether the session was found: a run without one ends before it begins. */
  async function isResumed({ run, call }: StepRequest): Promise<boolean> {
    const release = run.cli.guard(call.abortSignal, { ms: hooks.timeoutMs, what: "the step" });
    try {
      run.pulled = run.cli.next();
      const first = await run.pulled;
      return first !== undefined && first.type !== "result";
    } catch (error) {
      if (error instanceof CLIExecutionError) return false;
      await run.cli.close();
      throw error;
    } finally {
      release();
    }
  }

  async function openStep(call: LanguageModelV4CallOptions): Promise<StepRequest> {
    throwIfAborted(call.abortSignal);
    const run = await takeWaiting(call);
    return run ? { run, call, warnings: warningsFor(call) } : openRun(call);
  }

  const hooks = {
    timeoutMs: options.timeoutMs ?? limits.claudeRequestMs,
    park,
    onFinished: (prompt: LanguageModelV4CallOptions["prompt"], answer: string, sessionId: string): void => {
      if (isResuming) conversations.remember(prompt, answer, sessionId);
    },
  };

  return {
    async generate(call) {
      const step = await openStep(call);
      return foldStep(readStep(step, hooks), step.warnings);
    },
    async stream(call) {
      const step = await openStep(call);
      return { stream: toStepStream(readStep(step, hooks), step.run.cli) };
    },
    async close() {
      await Promise.all([...waiting].map(leave));
    },
  };
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

function schemaOf({ responseFormat }: LanguageModelV4CallOptions): OutputSchema | undefined {
  return responseFormat?.type === "json" ? (responseFormat.schema as OutputSchema | undefined) : undefined;
}

function withJsonRequest(system: string | undefined, { responseFormat }: LanguageModelV4CallOptions): string | undefined {
  if (responseFormat?.type !== "json" || responseFormat.schema) return system;
  const request = "Answer with one JSON value and nothing else: no explanation, no code fence.";
  return system === undefined ? request : `${system}\n\n${request}`;
}
