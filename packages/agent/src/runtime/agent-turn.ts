// One turn of an agent that owns its loop: what it tells becomes events and history, what it asks goes through the same
// permissions as our own tools, and the tools of this process that it calls are run as a model's calls are. A silent one
// is ended by the idle clock, unless the user or one of our tools is awaited.

import { randomUUID } from "node:crypto";
import { HawserError, joinTexts, type ConversationMessage } from "@hawser/protocol/internal";
import type { Tool } from "@hawser/tools";
import { linkSignals, startDeadline } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import type { AgentQuestion, DelegatedTurn, TurnAgent } from "../model/turn-agent.ts";
import type { Conversation } from "../history/conversation-store.ts";
import type { Used } from "../history/record.ts";
import type { Outcome, ToolCall } from "../permissions/policy.ts";
import { createAbortGuard } from "./abort-guard.ts";
import { turnLimits, type Workspace } from "./agent-parts.ts";
import { askForAgent, keyOf } from "./agent-questions.ts";
import { createAgentRecord, type AgentRecord } from "./agent-record.ts";
import type { Authority } from "./authorize.ts";
import { checkBudget, type BudgetCheck } from "./budget.ts";
import { recordTurn, type TurnBasics, type TurnOutcome } from "./recorded-turn.ts";
import type { ToolResult, ToolRunner, TurnScope } from "./tool-runner.ts";

export interface AgentTurnOptions extends TurnBasics {
  readonly agent: TurnAgent;
  readonly authority: Authority;
  readonly budget: BudgetCheck;
  toRunner(tools: readonly Tool[]): ToolRunner;
}

/** Throws why the turn has failed or was cancelled. */
export async function runAgentTurn(options: AgentTurnOptions): Promise<TurnOutcome> {
  const { request, parts, conversation, workspace, agent, scope, share } = options;
  const attachments = request.attachments?.length ? await workspace.readAttachments(request.attachments, scope.signal) : [];
  const attachedBytes = attachments.reduce((sum, { content }) => sum + content.length, 0);
  const heldBytes = (): number => conversation.bytes + attachedBytes;
  share.count(heldBytes());
  const place = toAgentPlace(agent, conversation, workspace);
  // It changes files as it likes: what is there must be known before it hears of the message. It may start meanwhile.
  const looking = scope.changes?.before("anything", scope.signal);
  looking?.catch(() => {});
  const history = answeredIn(conversation);
  const message = joinTexts(
    [...conversation.messages.slice(history.length).map(textOf), request.message].flatMap((text) => [undefined, text]),
  );
  const keptId = agent.runningSession(place);
  const startedAt = performance.now();
  let reported = (): AgentRecord["reported"] => undefined;
  const used = (): Used => ({ tokens: 0, usd: 0, ...reported(), ms: Math.round(performance.now() - startedAt) });
  return recordTurn({ ...options, answeredBy: agent.name, sessionId: keptId, used }, async (messageId, takeUsed) => {
    const grow = (): Promise<void> => share.grow(heldBytes());
    await grow();
    const clock = startIdleClock(turnLimits(parts).agentToolMs, agent.name, scope.signal);
    const { signal } = clock;
    const ofTurn = { ...options, scope: { ...scope, signal } };
    const record = createAgentRecord({ ...ofTurn, agent: agent.name, messageId, takeUsed, grow });
    reported = () => record.reported;
    try {
      const turn = { ...place, history, attachments, message, signal };
      const keepSession = async (sessionId: string): Promise<void> => {
        // Where it is the one that ran already, it was written with the message.
        if (sessionId !== keptId) await conversation.keepAgentSession({ agent: agent.name, sessionId, through: messageId });
        await looking;
        clock.begin();
      };
      const checkSpent = (): void => {
        try {
          checkBudget(options.budget, { used: used(), tokens: 0 });
        } catch (error) {
          clock.end(error);
        }
      };
      checkSpent();
      signal.throwIfAborted();
      const deeds = createDeeds(ofTurn, { record, clock, tools: place.tools, checkSpent });
      // Over as soon as the signal says so, whether the agent listens to it or not.
      await createAbortGuard(signal)(agent.run({ ...turn, ...deeds, keepSession }));
      await record.end();
      await tellOfUnknown(options, record);
    } catch (error) {
      const reason = signal.aborted ? (signal.reason as unknown) : error;
      await record
        .fail(reason)
        .catch((cause: unknown) => logLine(`[hawser] agent: the end of a turn could not be written: ${String(cause)}`));
      throw reason;
    } finally {
      clock.stop();
      await looking?.then((noteAfter) => noteAfter()).catch(() => {});
    }
  });
}

/** A budget that could not be watched is said. */
async function tellOfUnknown({ agent, budget: { turn, conversation }, scope }: AgentTurnOptions, { reported }: AgentRecord): Promise<void> {
  const isBounded = [turn, conversation].some(({ tokens, usd }) => tokens !== undefined || usd !== undefined);
  if (!isBounded || reported) return;
  await scope.emit({ type: "progress", data: { message: `${agent.name} does not tell what it uses, so the budget was not watched` } });
}

/** Where it works, and the session that knows all of the conversation, if there is one. */
export function toAgentPlace(agent: TurnAgent, conversation: Conversation, workspace: Workspace) {
  const { conversationId, agentSession } = conversation;
  const isKnown = agentSession?.agent === agent.name && agentSession.through === answeredIn(conversation).at(-1)?.messageId;
  return {
    conversationId,
    folders: workspace.folders.length > 0 ? workspace.folders : [process.cwd()],
    tools: workspace.ownTools(),
    sessionId: isKnown ? agentSession.sessionId : undefined,
  };
}

/** What an agent may know already. What follows was said by the user and is said to it with the next message: what a runtime that is gone had left. */
const answeredIn = ({ messages }: Conversation): Conversation["messages"] =>
  messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);

const textOf = ({ parts }: ConversationMessage): string => joinTexts(parts.map((part) => (part.type === "text" ? part.text : undefined)));

type Deeds = Pick<DelegatedTurn, "emit" | "ask" | "callTool">;

interface Doing {
  readonly record: AgentRecord;
  readonly clock: IdleClock;
  readonly tools: readonly Tool[];
  /** Ends the turn when it has used more than it may. */
  checkSpent(): void;
}

function createDeeds(options: AgentTurnOptions, { record, clock, tools, checkSpent }: Doing): Deeds {
  const { agent, authority, toRunner } = options;
  const answers: { readonly key: string; readonly outcome: Outcome }[] = [];
  const scope: TurnScope = {
    ...options.scope,
    takeAnswer(call: ToolCall): Outcome | undefined {
      const at = answers.findIndex(({ key }) => key === keyOf(call));
      return at === -1 ? undefined : answers.splice(at, 1)[0]?.outcome;
    },
  };
  const keepAnswer = (call: ToolCall, outcome: Outcome): void => {
    answers.push({ key: keyOf(call), outcome });
    if (answers.length > agentLimits.agentStepCalls) answers.shift();
  };

  async function callTool(toolName: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const toolId = randomUUID();
    let isTold = false;
    // The agent tells of the use itself. Only where the user is asked here, the question needs a use that it belongs to.
    const emit: TurnScope["emit"] = async (event) => {
      if (event.type === "permission_request" && !isTold) {
        isTold = true;
        await record.tell({ type: "tool_use", toolId, toolName, input: args });
      }
      const { toolId: _, ...progress } = event.type === "progress" ? event.data : {};
      if (event.type === "progress" && !isTold) return scope.emit({ type: "progress", data: progress });
      await scope.emit(event);
    };
    let outcome: ToolResult | undefined;
    const callScope = { ...scope, emit, signal: AbortSignal.any([scope.signal, signal]) };
    await toRunner(tools).run([{ toolId, toolName, input: args }], callScope, async (result) => void (outcome = result));
    if (isTold) await record.tell({ type: "tool_result", toolId, result: outcome?.result, error: outcome?.error });
    if (outcome?.isError) throw new HawserError("tool_failed", outcome.error ?? "it failed");
    return outcome?.result;
  }

  return {
    async emit(event) {
      clock.touch();
      await record.tell(event);
      if (event.type === "usage") checkSpent();
      clock.touch();
    },
    ask: (question: AgentQuestion) => clock.hold(() => askForAgent(question, { agent, authority, record, scope, tools, keepAnswer })),
    callTool: (toolName, args, signal) => clock.hold(() => callTool(toolName, args, signal)),
  };
}

type IdleClock = ReturnType<typeof startIdleClock>;

/** Aborts with the turn, and when nothing has come for too long, and nothing of ours is awaited. */
function startIdleClock(idleMs: number, agent: string, turn: AbortSignal) {
  const over = new AbortController();
  const either = linkSignals(turn, over.signal);
  // Until the agent has started, which has a limit of its own.
  let holds = 1;
  let hasBegun = false;
  let deadline = start();

  function start() {
    return startDeadline({ idleMs, onExpire: () => (holds > 0 ? void (deadline = start()) : over.abort(toSilence(idleMs, agent))) });
  }

  return {
    signal: either.signal,
    begin(): void {
      if (!hasBegun) holds--;
      hasBegun = true;
      deadline.touch();
    },
    touch: () => deadline.touch(),
    end: (reason: unknown): void => over.abort(reason),
    async hold<Result>(action: () => Promise<Result>): Promise<Result> {
      holds++;
      try {
        return await action();
      } finally {
        holds--;
        deadline.touch();
      }
    },
    stop(): void {
      either.release();
      deadline.clear();
    },
  };
}

const toSilence = (idleMs: number, agent: string): HawserError =>
  new HawserError(
    "timeout",
    `nothing came from ${agent} for ${idleMs / 1000} seconds; it was told to stop. Ask again, or for less at once`,
  );
