// The turns of all conversations: accepted, waiting in their lane, running, ended. Each has one reply, and a host that
// comes back can ask for what the running turn has sent already.

import { HawserError, toHawserError, type UserMessageRequest } from "@hawser/protocol";
import { createSemaphore, untilAborted, type Flight, type InFlightTable } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import { checkAttachmentCount } from "../attachments/read-attachments.ts";
import type { TurnWatch } from "../changes/turn-watch.ts";
import type { Conversation } from "../history/conversation-store.ts";
import type { Model } from "../model/model.ts";
import type { TurnAgent } from "../model/turn-agent.ts";
import { turnLimits, type AgentParts, type Workspace } from "./agent-parts.ts";
import { runAgentTurn } from "./agent-turn.ts";
import { checkPrice, narrowBudget, toExceeded, type Budget, type BudgetCheck } from "./budget.ts";
import { createLanes, type Place } from "./lanes.ts";
import type { Questions } from "./questions.ts";
import type { RecentConversations } from "./recent-conversations.ts";
import type { Replies, Reply } from "./reply.ts";
import type { Tool } from "@hawser/tools";
import { createToolRunners, type ToolRunner, type TurnScope } from "./tool-runner.ts";
import { createTurnMemory, type TurnShare } from "./turn-memory.ts";
import { toUserMessage, type TurnOutcome } from "./recorded-turn.ts";
import { readMetadata, readWishes, type TurnWishes } from "./turn-metadata.ts";
import { runTurn } from "./turn.ts";

export type Turns = ReturnType<typeof createTurns>;

export interface Turn {
  readonly conversationId: string;
  readonly reply: Reply;
  readonly flight: Flight;
  /** Other words may be put in its place while it waits. */
  request: UserMessageRequest;
  readonly model: string | undefined;
  readonly wishes: TurnWishes;
  state: "waiting" | "running";
  /** Where it waits, once it does. */
  place: Place | undefined;
  /** Whether it was a steer until its target ended: it goes before the others. */
  readonly isNext: boolean;
  /** Something was said to it while it ran or waited. */
  isSteered: boolean;
  /** It has ended, and what was said to it and not seen goes on as messages; `undefined` until then. */
  passedOn: Set<string> | undefined;
  /** Questions that wait for the user. */
  questions: number;
}

export interface TurnsOptions {
  readonly parts: AgentParts;
  readonly replies: Replies;
  readonly inFlight: InFlightTable;
  readonly conversations: RecentConversations;
  readonly questions: Questions;
  isStopping(): boolean;
  /** Told of every turn that begins. */
  onBegin(id: string, reply: Reply): void;
}

export function createTurns({ parts, replies, inFlight, conversations, questions, isStopping, onBegin }: TurnsOptions) {
  const { agentHeartbeatMs, agentToolMs, agentTurnMs } = turnLimits(parts);
  const lanes = createLanes();
  const largeWrites = createSemaphore(1);
  const memory = createTurnMemory();
  const toRunner = createToolRunners({ questions, toolMs: agentToolMs });
  const turns = new Map<string, Turn>();

  function begin(request: UserMessageRequest, idSource: string, isNext = false): Turn {
    const { conversationId, model } = readMetadata(request);
    const wishes = readWishes(request);
    if (request.message === "" && !request.attachments?.length)
      throw new HawserError("invalid_message", '"message" is empty; say something, or attach a file');
    // Checked before it waits: a refused list would be held for nothing.
    checkAttachmentCount(request.attachments ?? []);
    const flight = inFlight.begin(request.id);
    const reply = replies.open({ idSource, flight, turn: { heartbeatMs: agentHeartbeatMs, signOfLife: () => signOfLife(turn) } });
    const steering = { place: undefined, isNext, isSteered: false, passedOn: undefined };
    const turn: Turn = { conversationId, reply, flight, request, model, wishes, state: "waiting", questions: 0, ...steering };
    turns.set(request.id, turn);
    onBegin(request.id, reply);
    void reply.ended.then(() => turns.get(request.id) === turn && turns.delete(request.id));
    return turn;
  }

  async function run(turn: Turn): Promise<void> {
    const { flight, reply, conversationId, request } = turn;
    turn.state = "running";
    let share: TurnShare | undefined;
    const budget = narrowBudget(parts.budgets?.turn, turn.wishes.budget);
    const endMs = Math.min(agentTurnMs, budget.ms ?? Infinity);
    const timer = setTimeout(() => inFlight.cancel(request.id, toTooLong(agentTurnMs, budget)), endMs);
    try {
      flight.signal.throwIfAborted();
      const model = await untilAborted(flight.signal, parts.models.pick(turn.model));
      share = await memory.enter(flight.signal);
      await tellOfEffort(turn, model);
      checkPrice(budget.usd ?? parts.budgets?.conversation?.usd, model.name, hasPrice(model, parts));
      const basics = { request, parts, share, largeWrites };
      const runIn = async (conversation: Conversation, workspace: Workspace, changes?: TurnWatch): Promise<TurnOutcome> => {
        // The tools that a turn may use are to be there when it begins, and what files tell a model. An agent reads such files itself.
        await untilAborted(flight.signal, Promise.all([workspace.whenReady(), "stream" in model ? workspace.refresh() : undefined]));
        await showLeftSteers(conversation, reply);
        const { policy } = workspace;
        const check: BudgetCheck = { turn: budget, conversation: parts.budgets?.conversation ?? {}, earlier: conversation.used };
        const shared = { ...basics, scope: { ...toScope(turn), beforeCall: conversation.beforeCall, changes } };
        if (!("stream" in model)) {
          const authority = { policy, questions };
          const toAgentRunner = (tools: readonly Tool[]): ToolRunner => toRunner(tools, policy);
          return runAgentTurn({ ...shared, conversation, workspace, agent: model, authority, budget: check, toRunner: toAgentRunner });
        }
        const toolRunner = (): ToolRunner => toRunner(workspace.tools(), policy);
        return runTurn({ ...shared, conversation, workspace, model, toolRunner, budget: check, effort: turn.wishes.effort });
      };
      const outcome = await conversations.use(conversationId, (conversation) =>
        parts.workspaces.use(conversation, (workspace) => watched(turn, workspace, (changes) => runIn(conversation, workspace, changes))),
      );
      if (turn.isSteered) await passOn(turn);
      void reply.done(outcome);
    } catch (error) {
      if (turn.isSteered) await passOn(turn);
      void reply.fail(flight.signal.aborted ? flight.signal.reason : error);
    } finally {
      clearTimeout(timer);
      share?.leave();
    }
  }

  /** False when there is no room, which is its end. */
  function enter(turn: Turn, bytes: number): boolean {
    const { conversationId, isNext, flight, reply } = turn;
    try {
      const place = lanes.add(conversationId, { bytes, isNext, run: () => run(turn) });
      turn.place = place;
      flight.signal.addEventListener("abort", () => place.withdraw() && void leave(turn), { once: true });
      return true;
    } catch (error) {
      void reply.fail(error);
      return false;
    }
  }

  /** It was cancelled while it waited. */
  async function leave(turn: Turn): Promise<void> {
    if (turn.isSteered) await passOn(turn);
    await turn.reply.fail(turn.flight.signal.reason);
  }

  /** What was said to a turn that ends, and was not seen, becomes the next messages. Before the end itself, so that the runtime is never idle between. Never rejects. */
  async function passOn(turn: Turn): Promise<void> {
    const passedOn = (turn.passedOn ??= new Set());
    const { id: target, attachments: _, ...request } = turn.request;
    try {
      await conversations.use(turn.conversationId, async ({ steers }) => {
        for (const { steerId, message } of steers.filter((steer) => steer.target === target && !passedOn.has(steer.steerId))) {
          if (isStopping() || !turn.isSteered) return;
          passedOn.add(steerId);
          enter(begin({ ...request, id: steerId, message }, JSON.stringify(steerId), true), 2 * Buffer.byteLength(message));
        }
      });
    } catch (error) {
      // They stay in the history, and go out with the next message.
      logLine(`[hawser] agent: what was said to a turn waits for the next message: ${toHawserError(error).message}`);
    }
  }

  const isLive = (id: string): boolean => turns.get(id)?.reply.isOver === false;

  /** What was said to a turn of a runtime that is gone goes before what is said now. */
  async function showLeftSteers(conversation: Conversation, reply: Reply): Promise<void> {
    for (const { steerId, target, message } of conversation.steers) {
      if (isLive(target) || isLive(steerId)) continue;
      await conversation.add(toUserMessage({ id: steerId, message }));
      await reply.emit({ type: "steered", data: { steerId, message } });
    }
  }

  return {
    lanes,
    /** Throws what is wrong with the request; everything later is the turn's own end, also that there is no room: then it is false. `bytes`: what it holds while it waits. */
    accept: (request: UserMessageRequest, idSource: string, bytes: number): boolean => enter(begin(request, idSource), bytes),
    /** One that has not ended. */
    find: (id: string): Turn | undefined => (isLive(id) ? turns.get(id) : undefined),
    /** In the order in which they will run. */
    waitingOf(conversationId: string): readonly Turn[] {
      const waiting = [...turns.values()].filter(
        (turn) => turn.conversationId === conversationId && turn.state === "waiting" && !turn.flight.signal.aborted,
      );
      return [...waiting.filter(({ isNext }) => isNext), ...waiting.filter(({ isNext }) => !isNext)];
    },
    /** After a steer was written: if its turn has ended by then, it goes on from here. */
    afterSteer: async (turn: Turn): Promise<void> => (turn.passedOn ? passOn(turn) : undefined),
    /** What a model is shown of them in a turn. */
    toolsOf: ({ tools, policy }: Workspace): ToolRunner["tools"] => toRunner(tools(), policy).tools,
    /** At once when there is no such turn. */
    whenEnded: (id: string): Promise<void> => turns.get(id)?.reply.ended ?? Promise.resolve(),
    /** Ends every turn of a conversation, also those that wait. */
    cancelAllOf(conversationId: string, reason: HawserError): void {
      const concerned = [...turns.values()].filter((turn) => turn.conversationId === conversationId);
      // The last first, so that no waiting one begins when the running one ends; nor what was said to it.
      for (const turn of concerned) turn.isSteered = false;
      for (const turn of concerned.toReversed()) inFlight.cancel(turn.request.id, reason);
    },
    /** Sends again what the running turn of a conversation has sent; returns its id, if there is one, when all of it is sent. */
    async repeat(conversationId: string, since: number): Promise<string | undefined> {
      const begun = [...turns.values()].filter((turn) => turn.conversationId === conversationId && turn.state === "running");
      const turn = begun.find(({ reply }) => !reply.isOver);
      if (!turn) {
        // An end that waits to be read is the last of its turn: nothing is sent again behind it, and the host learns of it first.
        await Promise.all(begun.map(({ reply }) => reply.ended));
        return undefined;
      }
      await turn.reply.sendAgain(since);
      return turn.request.id;
    },
  };
}

/** Whatever it changes in files is noted before its end is told. */
async function watched<Result>(
  { conversationId, request, reply }: Turn,
  { changes }: Workspace,
  run: (changes?: TurnWatch) => Promise<Result>,
): Promise<Result> {
  const tell = (message: string): void => void reply.emit({ type: "progress", data: { message } }).catch(() => {});
  const onProblem = (message: string): void => logLine(`[hawser] undo: ${message}`);
  const watch = changes?.openTurn({ conversationId, requestId: request.id, tell, onProblem });
  try {
    return await run(watch);
  } finally {
    await watch?.end();
  }
}

const toTooLong = (turnMs: number, { ms = Infinity }: Budget): HawserError =>
  ms < turnMs
    ? toExceeded("turn", "ms", `the ${ms} ms of this turn are over`)
    : new HawserError("timeout", `no end within ${turnMs / 60_000} minutes; ask for less at once`);

/** An agent says itself what a turn has cost, or nothing. */
const hasPrice = (model: Model | TurnAgent, { prices = {} }: AgentParts): boolean =>
  !("stream" in model) || model.isFree === true || model.ownsContext === true || Object.hasOwn(prices, model.name);

async function tellOfEffort({ reply, wishes }: Turn, model: Model | TurnAgent): Promise<void> {
  if (wishes.effort === undefined || ("stream" in model && model.takesEffort !== false)) return;
  const how = "stream" in model ? "it was not told" : "choose it among its options";
  await reply.emit({ type: "progress", data: { message: `${model.name} takes no effort from here; ${how}` } });
}

function toScope(turn: Turn): Omit<TurnScope, "beforeCall"> {
  const { conversationId, flight, reply } = turn;
  return {
    conversationId,
    signal: flight.signal,
    emit: reply.emit,
    heardAt: () => reply.heardAt,
    onQuestion: (isWaiting) => (turn.questions += isWaiting ? 1 : -1),
  };
}

function signOfLife(turn: Turn): string | undefined {
  if (turn.state === "waiting") return "waits for its turn";
  return turn.questions > 0 ? undefined : "still working";
}
