// The turns of all conversations: accepted, waiting in their lane, running, ended. Each has one reply, and a host that
// comes back can ask for what the running turn has sent already.

import { HawserError, type AnyAgentRequest, type UserMessageRequest } from "@hawser/protocol";
import { createSemaphore, untilAborted, type Flight, type InFlightTable } from "@hawser/wire/internal";
import { checkAttachmentCount } from "../attachments/read-attachments.ts";
import { agentLimits } from "../limits.ts";
import type { Conversation } from "../history/conversation-store.ts";
import { turnLimits, type AgentParts, type Workspace } from "./agent-parts.ts";
import { runAgentTurn } from "./agent-turn.ts";
import { createLanes } from "./lanes.ts";
import type { Questions } from "./questions.ts";
import type { RecentConversations } from "./recent-conversations.ts";
import type { Replies, Reply } from "./reply.ts";
import type { Tool } from "@hawser/tools";
import { createToolRunners, type ToolRunner, type TurnScope } from "./tool-runner.ts";
import { createTurnMemory, type TurnShare } from "./turn-memory.ts";
import type { TurnOutcome } from "./recorded-turn.ts";
import { runTurn } from "./turn.ts";

export type Turns = ReturnType<typeof createTurns>;

interface Turn {
  readonly conversationId: string;
  readonly reply: Reply;
  readonly flight: Flight;
  readonly request: UserMessageRequest;
  readonly model: string | undefined;
  state: "waiting" | "running";
  /** Questions that wait for the user. */
  questions: number;
}

export interface TurnsOptions {
  readonly parts: AgentParts;
  readonly replies: Replies;
  readonly inFlight: InFlightTable;
  readonly conversations: RecentConversations;
  readonly questions: Questions;
}

export function createTurns({ parts, replies, inFlight, conversations, questions }: TurnsOptions) {
  const { agentHeartbeatMs, agentToolMs, agentTurnMs } = turnLimits(parts);
  const lanes = createLanes();
  const largeWrites = createSemaphore(1);
  const memory = createTurnMemory();
  const toRunner = createToolRunners({ questions, toolMs: agentToolMs });
  const turns = new Map<string, Turn>();

  function begin(request: UserMessageRequest, idSource: string): Turn {
    const { conversationId, model } = readMetadata(request);
    if (request.message === "" && !request.attachments?.length)
      throw new HawserError("invalid_message", '"message" is empty; say something, or attach a file');
    // Checked before it waits: a refused list would be held for nothing.
    checkAttachmentCount(request.attachments ?? []);
    const flight = inFlight.begin(request.id);
    const reply = replies.open({ idSource, flight, turn: { heartbeatMs: agentHeartbeatMs, signOfLife: () => signOfLife(turn) } });
    const turn: Turn = { conversationId, reply, flight, request, model, state: "waiting", questions: 0 };
    turns.set(request.id, turn);
    void reply.ended.then(() => turns.get(request.id) === turn && turns.delete(request.id));
    return turn;
  }

  async function run(turn: Turn): Promise<void> {
    const { flight, reply, conversationId, request } = turn;
    turn.state = "running";
    let share: TurnShare | undefined;
    const timer = setTimeout(() => inFlight.cancel(request.id, toTooLong(agentTurnMs)), agentTurnMs);
    try {
      flight.signal.throwIfAborted();
      const model = await untilAborted(flight.signal, parts.models.pick(turn.model));
      share = await memory.enter(flight.signal);
      const shared = { request, parts, share, scope: toScope(turn), largeWrites };
      const runIn = async (conversation: Conversation, workspace: Workspace): Promise<TurnOutcome> => {
        // The tools that a turn may use are to be there when it begins.
        await untilAborted(flight.signal, workspace.whenReady());
        const { policy } = workspace;
        if (!("stream" in model)) {
          const authority = { policy, questions };
          const toAgentRunner = (tools: readonly Tool[]): ToolRunner => toRunner(tools, policy);
          return runAgentTurn({ ...shared, conversation, workspace, agent: model, authority, toRunner: toAgentRunner });
        }
        const toolRunner = (): ToolRunner => toRunner(workspace.tools(), policy);
        return runTurn({ ...shared, conversation, workspace, model, toolRunner });
      };
      const outcome = await conversations.use(conversationId, (conversation) =>
        parts.workspaces.use(conversation, (workspace) => runIn(conversation, workspace)),
      );
      void reply.done(outcome);
    } catch (error) {
      void reply.fail(flight.signal.aborted ? flight.signal.reason : error);
    } finally {
      clearTimeout(timer);
      share?.leave();
    }
  }

  return {
    lanes,
    /** Throws what is wrong with the request; everything later is the turn's own end. `bytes`: what it holds while it waits. */
    accept(request: UserMessageRequest, idSource: string, bytes: number): Reply {
      const turn = begin(request, idSource);
      try {
        const withdraw = lanes.add(turn.conversationId, { bytes, run: () => run(turn) });
        turn.flight.signal.addEventListener("abort", () => withdraw() && void turn.reply.fail(turn.flight.signal.reason), { once: true });
      } catch (error) {
        void turn.reply.fail(error);
      }
      return turn.reply;
    },
    /** At once when there is no such turn. */
    whenEnded: (id: string): Promise<void> => turns.get(id)?.reply.ended ?? Promise.resolve(),
    /** Ends every turn of a conversation, also those that wait. */
    cancelAllOf(conversationId: string, reason: HawserError): void {
      const concerned = [...turns.values()].filter((turn) => turn.conversationId === conversationId);
      // The last first, so that no waiting one begins when the running one ends.
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

const toTooLong = (turnMs: number): HawserError =>
  new HawserError("timeout", `no end within ${turnMs / 60_000} minutes; ask for less at once`);

function toScope(turn: Turn): TurnScope {
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

export const defaultConversation = "default";

const metadataOf = (request: AnyAgentRequest): Readonly<Record<string, unknown>> => ("metadata" in request && request.metadata) || {};

/** Whether the host says that it answers questions. */
export const answersPermissions = (request: AnyAgentRequest): boolean => metadataOf(request)["answersPermissions"] === true;

/** Throws `invalid_message`. A request that names no conversation belongs to `otherwise`. */
export function readMetadata(request: AnyAgentRequest, otherwise = defaultConversation) {
  const { conversationId = otherwise, model, force } = metadataOf(request);
  if (model !== undefined && typeof model !== "string") throw new HawserError("invalid_message", '"metadata.model" must be a string');
  return { conversationId: checkConversationId(conversationId, "metadata.conversationId"), model, isForced: force === true };
}

export function checkConversationId(value: unknown, member = "conversationId"): string {
  if (typeof value !== "string" || value === "") throw new HawserError("invalid_message", `"${member}" must be a string that is not empty`);
  if (value.length > agentLimits.agentConversationIdChars)
    throw new HawserError("invalid_message", `"${member}" is longer than ${agentLimits.agentConversationIdChars} characters`);
  return value;
}
