// Runs the tool calls of one step: finds the tool, checks the arguments, asks whether it may, runs it and
// makes a result of whatever happens. Calls that only read run side by side; as soon as one may change
// something, all of the step run in the order in which the model made them.

import { cutText, HawserError, limits, ToolNotFoundError, untilAborted, type Tool, type ToolContext } from "@hawser/wire";
import { logLine } from "@hawser/wire/node";
import { createGates, prepareInput, type PreparedInput } from "@hawser/wire/tools";
import type { ModelTool } from "../model/model.ts";
import type { Outcome, PermissionPolicy, ToolCall } from "../permissions/policy.ts";
import { withPermit, type Permit } from "../tools/files/permit.ts";
import { hideFromLoops, inForeignScope } from "./exit-guard.ts";
import { createProgress } from "./progress.ts";
import type { Questions } from "./questions.ts";
import type { TurnEvent } from "./replay.ts";
import { toToolError, toToolValue } from "./tool-value.ts";

export interface RequestedCall {
  readonly toolId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly problem?: string | undefined;
}

export interface ToolResult {
  readonly toolId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly isError?: true;
  readonly error?: string;
}

export interface CallScope {
  readonly conversationId: string;
  readonly signal: AbortSignal;
  emit(event: TurnEvent): Promise<void>;
  /** When the host was last told something that the first contract knows. */
  heardAt(): number;
  /** Told when a question begins and ends to wait for the user. */
  onQuestion(isWaiting: boolean): void;
}

export interface ToolRunner {
  /** What a model is shown. */
  readonly tools: readonly ModelTool[];
  /** Never rejects, but when the turn is over. `onResult` is told of each as it comes. */
  run(calls: readonly RequestedCall[], scope: CallScope, onResult: (result: ToolResult) => Promise<void>): Promise<void>;
}

interface Prepared {
  readonly tool: Tool;
  readonly input: PreparedInput;
}

export interface ToolRunnerOptions {
  readonly policy: PermissionPolicy;
  readonly questions: Questions;
  /** The longest run of one tool. */
  readonly toolMs: number;
}

/** Prepares tools once, whatever the number of turns; their gates are shared by all conversations. */
export function createToolRunners(options: ToolRunnerOptions): (tools: readonly Tool[]) => ToolRunner {
  const prepared = new WeakMap<Tool, PreparedInput>();
  const gates = createGates();

  function prepare(tool: Tool): Prepared {
    const input = prepared.get(tool) ?? prepareInput(tool.name, tool.input);
    prepared.set(tool, input);
    return { tool, input };
  }

  return (tools) => {
    const byName = new Map(tools.map((tool) => [tool.name, prepare(tool)]));
    const isReadOnly = ({ toolName }: RequestedCall): boolean => byName.get(toolName)?.tool.annotations?.readOnlyHint === true;

    async function execute(call: RequestedCall, scope: CallScope): Promise<ToolResult> {
      const { toolId, toolName } = call;
      try {
        const { tool, input } = find(byName, toolName);
        if (call.problem !== undefined) throw new HawserError("invalid_arguments", call.problem);
        // One copy from here on: what is asked about is what is executed, whoever holds the original.
        const shown = structuredClone(call.input ?? {}) as Record<string, unknown>;
        const checked = await input.check(toolName, structuredClone(shown));
        const permit = await authorize(
          options,
          { conversationId: scope.conversationId, toolId, toolName, input: shown, isReadOnly: isReadOnly(call) },
          scope,
        );
        const run = { tool, args: checked, toolId, scope, permit, toolMs: options.toolMs };
        const value = await gates.pass(tool, scope.signal, () => runTool(run));
        return { toolId, toolName, result: toToolValue(value) };
      } catch (error) {
        scope.signal.throwIfAborted();
        return { toolId, toolName, result: null, isError: true, error: toToolError(error) };
      }
    }

    return {
      tools: [...byName.values()].map(({ tool, input }) => ({
        name: tool.name,
        // A module of the user may have left it out.
        description: tool.description ?? "",
        inputSchema: input.jsonSchema,
      })),
      async run(calls, scope, onResult) {
        const one = async (call: RequestedCall): Promise<void> => onResult(await execute(call, scope));
        if (calls.every(isReadOnly)) await sideBySide(calls, one);
        else for (const call of calls) await one(call);
      },
    };
  };
}

function find(byName: ReadonlyMap<string, Prepared>, toolName: string): Prepared {
  const found = byName.get(toolName);
  if (found) return found;
  const known = [...byName.keys()].slice(0, 40).join(", ");
  throw new ToolNotFoundError(`there is no tool "${cutText(toolName, 200)}"; ${known ? `known are: ${known}` : "none is offered"}`);
}

/** Throws when it may not run. Returns what its files are held to. */
async function authorize({ policy, questions }: ToolRunnerOptions, call: ToolCall, scope: CallScope): Promise<Permit | undefined> {
  const { decision, reason, via = "rule", permit } = policy.decide(call);
  if (decision === "allow") {
    policy.note(call, { decision, by: reason, via });
    return permit;
  }
  if (decision === "deny") {
    policy.note(call, { decision, by: reason, via });
    throw new HawserError("tool_failed", `denied: ${reason}`);
  }
  const answer = await ask(call, { reason, ...whatIsReplaced(call, permit) }, { questions, scope }).catch((error: unknown) => {
    policy.note(call, { decision: "deny", by: "the turn ended before an answer came", via: "cancelled" });
    throw error;
  });
  const isKept = answer.decision === "allow_always" && policy.allowAlways(call);
  policy.note(call, isKept || answer.decision === "deny" ? answer : { ...answer, decision: "allow" });
  if (answer.decision === "deny")
    throw new HawserError("tool_failed", `denied: ${answer.by === "the user" ? "the user said no" : answer.by}`);
  // For a page that comes back while the tool runs: the question is no longer one.
  const message = answer.decision === "allow_always" && !isKept ? "allowed once; this call can't be remembered" : "allowed";
  await scope.emit({ type: "progress", data: { toolId: call.toolId, message } });
  return permit;
}

interface Asking {
  readonly questions: Questions;
  readonly scope: CallScope;
}

/** Whether a file is there already is known from what the decision is bound to. */
function whatIsReplaced({ toolName }: ToolCall, permit: Permit | undefined): { readonly replaces?: boolean } {
  return toolName === "write_file" && permit?.target ? { replaces: permit.target.missing.length === 0 } : {};
}

/** Rejects when the turn ends first. */
async function ask(
  call: ToolCall,
  about: { readonly reason: string; readonly replaces?: boolean },
  { questions, scope }: Asking,
): Promise<Outcome> {
  scope.onQuestion(true);
  const { toolId, toolName, input } = call;
  const question = (permissionId: string): TurnEvent => ({
    type: "permission_request",
    data: { permissionId, toolId, toolName, input, ...about },
  });
  return questions.ask(scope, (permissionId) => scope.emit(question(permissionId))).finally(() => scope.onQuestion(false));
}

interface ToolRun {
  readonly tool: Tool;
  readonly args: unknown;
  readonly toolId: string;
  readonly scope: CallScope;
  readonly permit: Permit | undefined;
  readonly toolMs: number;
}

/** The function's own outcome; or the end of its time, or of its turn, whichever comes first. */
async function runTool({ tool, args, toolId, scope, permit, toolMs }: ToolRun): Promise<unknown> {
  const over = new AbortController();
  const late = new HawserError("timeout", `tool "${tool.name}" has not ended within ${toolMs / 1000} seconds`);
  const timer = setTimeout(() => over.abort(late), toolMs);
  const signal = AbortSignal.any([scope.signal, over.signal]);
  const report = createProgress(toolId, (event) => scope.emit(event));
  const context: ToolContext = {
    signal,
    client: { name: "hawser-agent" },
    progress(done, total, message) {
      if (!signal.aborted) report(done, total, message);
    },
    log: (message, level = "info") => logLine(`[hawser] ${tool.name} ${level}: ${message}`),
  };
  try {
    const running = inForeignScope(`tool "${tool.name}"`, async () => tool.run(args as never, withPermit(context, permit)));
    return await untilAborted(signal, running);
  } finally {
    clearTimeout(timer);
    // Whatever it does from now on is of no use to anybody.
    over.abort(late);
    hideFromLoops(tool.name);
  }
}

async function sideBySide<Item>(items: readonly Item[], action: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const item of rest) {
      // One failure is the end of all: nobody waits for the others any more.
      if (hasFailed) return;
      await action(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(items.length, limits.agentParallelCalls) }, work));
}
