// Runs the tool calls of one step through the tool host: adds the question whether a call may run, a time limit and
// progress, and makes a result of every outcome. Calls that only read run side by side; as soon as one may
// change something, all of the step run in the order in which the model made them.

import { describeThrown, HawserError, toErrorText, type MessagePart, type ResponseBody } from "@hawser/protocol/internal";
import { createToolHosts, type Tool, type ToolContext } from "@hawser/tools/internal";
import { createSemaphore, untilAborted } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import type { ModelEvent, ModelTool } from "../model/model.ts";
import type { Outcome, PermissionPolicy, ToolCall } from "../permissions/policy.ts";
import { authorize, type Authority } from "./authorize.ts";
import { hideFromLoops, inForeignScope } from "./exit-guard.ts";
import { toToolValue } from "../tool-value.ts";
import type { TurnWatch } from "../changes/turn-watch.ts";
import { checkEarly } from "../tools/early-check.ts";
import { previewOf } from "../tools/files/preview.ts";
import { reachOf } from "../tools/files/reach.ts";
import { withPermit, type Permit } from "../tools/files/permit.ts";

export type RequestedCall = Omit<Extract<ModelEvent, { type: "tool_call" }>, "type">;
export type ToolResult = Omit<Extract<MessagePart, { type: "tool_result" }>, "type">;
/** How long the tool itself ran; without it where it never did. */
export interface RunTime {
  readonly durationMs?: number;
}

export interface TurnScope {
  readonly conversationId: string;
  readonly signal: AbortSignal;
  emit(event: ResponseBody): Promise<void>;
  /** When the host was last told something that the first contract knows. */
  heardAt(): number;
  /** Told when a question begins and ends to wait for the user. */
  onQuestion(isWaiting: boolean): void;
  /** Told before a tool runs that may change files. */
  readonly changes?: TurnWatch | undefined;
  /** Told before every tool; where it throws, the tool does not run. */
  beforeCall(toolId: string): Promise<void>;
  /** An answer that the user has given to the very same call already; it counts once. */
  takeAnswer?(call: ToolCall): Outcome | undefined;
}

export interface ToolRunner {
  /** What a model is shown. */
  readonly tools: readonly ModelTool[];
  /** Never rejects, but when the turn is over. `onResult` is told of each as it comes. */
  run(calls: readonly RequestedCall[], scope: TurnScope, onResult: (result: ToolResult, time: RunTime) => Promise<void>): Promise<void>;
}

export interface ToolRunnerOptions extends Pick<Authority, "questions"> {
  /** The longest run of one tool. */
  readonly toolMs: number;
}

/** Tools are prepared once, however many turns use them, and all conversations wait for the same turns of a tool. */
export function createToolRunners(options: ToolRunnerOptions): (tools: readonly Tool[], policy: PermissionPolicy) => ToolRunner {
  const hostOf = createToolHosts();

  return (tools, policy) => {
    // Of two sources with a tool of one name the last one counts: a turn must not fail because of it.
    const host = hostOf([...new Map(tools.map((tool) => [tool.name, tool])).values()]);
    const readOnly = new Set(tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name));

    async function execute(call: RequestedCall, scope: TurnScope): Promise<[ToolResult, RunTime]> {
      const { toolId, toolName } = call;
      let time: RunTime = {};
      try {
        const hosted = host.find(toolName);
        if (call.problem !== undefined) throw new HawserError("invalid_arguments", call.problem);
        // Copies from here on: what is asked about is what is executed, even if the original changes.
        const shown = structuredClone(call.input ?? {}) as Record<string, unknown>;
        const asked = { conversationId: scope.conversationId, toolId, toolName, input: shown, isReadOnly: readOnly.has(toolName) };
        const result = await hosted.call({
          args: structuredClone(shown),
          signal: scope.signal,
          authorize: async () => {
            checkEarly(hosted.tool, shown);
            const preview = (permit: Permit | undefined) => previewOf(hosted.tool, shown, permit, scope.signal);
            return (await authorize({ policy, questions: options.questions }, asked, scope, { preview })).permit;
          },
          async run(args, permit) {
            await scope.beforeCall(toolId);
            const noteAfter = readOnly.has(toolName) ? undefined : await scope.changes?.before(reachOf(hosted.tool, args), scope.signal);
            const startedAt = performance.now();
            return runTool(hosted.tool, args, { toolId, scope, permit, toolMs: options.toolMs, noteAfter }).finally(
              () => (time = { durationMs: Math.round(performance.now() - startedAt) }),
            );
          },
          bound: toToolValue,
        });
        return [{ toolId, toolName, result }, time];
      } catch (error) {
        scope.signal.throwIfAborted();
        return [{ toolId, toolName, result: null, isError: true, error: toErrorText(describeThrown(error)) }, time];
      }
    }

    return {
      tools: host.tools.map(({ tool, jsonSchema }) => ({
        name: tool.name,
        // A module of the user may have left it out.
        description: tool.description ?? "",
        inputSchema: jsonSchema,
      })),
      async run(calls, scope, onResult) {
        const one = async (call: RequestedCall): Promise<void> => onResult(...(await execute(call, scope)));
        if (calls.every(({ toolName }) => readOnly.has(toolName))) await sideBySide(calls, one);
        else for (const call of calls) await one(call);
      },
    };
  };
}

interface ToolRun {
  readonly toolId: string;
  readonly scope: TurnScope;
  readonly permit: Permit | undefined;
  readonly toolMs: number;
  /** Called when the tool has really ended, which may be after its time. */
  readonly noteAfter: (() => Promise<void>) | undefined;
}

/** The function's own outcome; or the end of its time, or of its turn, whichever comes first. */
async function runTool(tool: Tool, args: never, { toolId, scope, permit, toolMs, noteAfter }: ToolRun): Promise<unknown> {
  const over = new AbortController();
  const late = new HawserError("timeout", `tool "${tool.name}" has not ended within ${toolMs / 1000} seconds`);
  const timer = setTimeout(() => over.abort(late), toolMs);
  const signal = AbortSignal.any([scope.signal, over.signal]);
  const report = createProgress(toolId, scope.emit);
  const context: ToolContext = {
    signal,
    client: { name: "hawser-agent" },
    progress(done, total, message) {
      if (!signal.aborted) report(done, total, message);
    },
    log: (message, level = "info") => logLine(`[hawser] ${tool.name} ${level}: ${message}`),
  };
  try {
    const running = inForeignScope(`tool "${tool.name}"`, async () => tool.run(args, withPermit(context, permit)));
    return await untilAborted(signal, noteAfter ? notedAfter(running, noteAfter) : running);
  } finally {
    clearTimeout(timer);
    // From now on its work is useless.
    over.abort(late);
    hideFromLoops(tool.name);
  }
}

async function notedAfter<Result>(running: Promise<Result>, noteAfter: () => Promise<void>): Promise<Result> {
  try {
    return await running;
  } finally {
    await noteAfter();
  }
}

/** After one has failed, no further one begins. */
async function sideBySide<Item>(items: readonly Item[], action: (item: Item) => Promise<void>): Promise<void> {
  const seats = createSemaphore(agentLimits.agentParallelCalls);
  const one = (item: Item): Promise<void> =>
    seats.run(() =>
      action(item).catch((error: Error) => {
        seats.close(error);
        throw error;
      }),
    );
  await Promise.all(items.map(one));
}

/** Never throws. `emit` may reject when the turn is over; the report is then dropped. */
function createProgress(toolId: string, emit: TurnScope["emit"]): (done?: unknown, total?: unknown, message?: unknown) => void {
  let waiting = 0;
  let latest: ResponseBody | undefined;

  function send(event: ResponseBody): void {
    waiting++;
    void emit(event)
      .catch(() => {})
      .then(() => {
        waiting--;
        const next = latest;
        latest = undefined;
        if (next) send(next);
      });
  }

  return (done, total, message) => {
    const data = { toolId, ...countOf("done", done), ...countOf("total", total), ...textOf(message) };
    const event = { type: "progress" as const, data };
    if (waiting < agentLimits.agentProgressEntries) send(event);
    else latest = event;
  };
}

// A tool may hand in anything; the protocol knows finite numbers and text.
const countOf = (name: string, value: unknown): object => (Number.isFinite(value) ? { [name]: value } : {});
const textOf = (value: unknown): object => (typeof value === "string" ? { message: toErrorText(value) } : {});
