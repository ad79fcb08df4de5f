// The turns of all conversations: taken in, waiting in their lane, running, ended. Each has one reply, and
// a host that comes back can have sent again what the running one has said.

import { HawserError, untilAborted, type Flight, type InFlightTable, type UserMessageRequest } from "@hawser/wire";
import { checkAttachmentCount } from "../attachments/read-attachments.ts";
import { createAbortGuard } from "./abort-guard.ts";
import { turnLimits, type AgentParts } from "./agent-parts.ts";
import { createHeavyWork } from "./heavy-work.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { OpenConversations } from "./open-conversations.ts";
import type { Outbox } from "./outbox.ts";
import type { Questions } from "./questions.ts";
import { createReplay, type TurnRecord } from "./replay.ts";
import { createReply, type Reply } from "./reply.ts";
import { readMetadata } from "./request-metadata.ts";
import { createToolRunners, type CallScope, type ToolRunner } from "./tool-runner.ts";
import { createTurnRoom, type TurnPlace } from "./turn-room.ts";
import { runTurn } from "./turn.ts";

export interface Turns {
  readonly lanes: Lanes;
  /** Throws what is wrong with the request; everything later is the turn's own end. `bytes`: what it holds while it waits. */
  accept(request: UserMessageRequest, idSource: string, bytes: number): Reply;
  /** Resolves when the turn of this id has ended; at once when there is none. */
  whenEnded(id: string): Promise<void>;
  /** Ends every turn of a conversation, also those that wait. */
  cancelAllOf(conversationId: string, reason: HawserError): void;
  /** Sends again what the running turn of a conversation has sent; returns its id, if there is one, when all of it is sent. */
  repeat(conversationId: string, since: number): Promise<string | undefined>;
}

interface Turn {
  readonly id: string;
  readonly idSource: string;
  readonly conversationId: string;
  readonly record: TurnRecord;
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
  readonly outbox: Outbox;
  readonly inFlight: InFlightTable;
  readonly conversations: OpenConversations;
  readonly questions: Questions;
}

export function createTurns({ parts, outbox, inFlight, conversations, questions }: TurnsOptions): Turns {
  const { agentHeartbeatMs, agentToolMs, agentTurnMs } = turnLimits(parts);
  const lanes = createLanes();
  const replay = createReplay();
  const heavyWork = createHeavyWork();
  const room = createTurnRoom();
  const toolRunner = createToolRunners({ policy: parts.policy, questions, toolMs: agentToolMs });
  const turns = new Map<string, Turn>();

  function begin(request: UserMessageRequest, idSource: string): Turn {
    const { conversationId, model } = readMetadata(request);
    if (request.message === "" && !request.attachments?.length)
      throw new HawserError("invalid_message", '"message" is empty; say something, or attach a file');
    // Before it waits: thousands of them would be held for nothing.
    checkAttachmentCount(request.attachments ?? []);
    const flight = inFlight.begin(request.id);
    const record = replay.open();
    const reply = createReply({ outbox, idSource, flight, record, signOfLife: () => signOfLife(turn), heartbeatMs: agentHeartbeatMs });
    const turn: Turn = {
      id: request.id,
      idSource,
      conversationId,
      record,
      reply,
      flight,
      request,
      model,
      state: "waiting",
      questions: 0,
    };
    turns.set(turn.id, turn);
    void reply.ended.then(() => turns.get(turn.id) === turn && turns.delete(turn.id));
    return turn;
  }

  async function run(turn: Turn): Promise<void> {
    const { flight, reply, conversationId, request } = turn;
    turn.state = "running";
    let place: TurnPlace | undefined;
    const tooLong = new HawserError("timeout", `no end within ${agentTurnMs / 60_000} minutes; ask for less at once`);
    const timer = setTimeout(() => inFlight.cancel(turn.id, tooLong), agentTurnMs);
    try {
      flight.signal.throwIfAborted();
      const model = await untilAborted(flight.signal, parts.models.pick(turn.model));
      place = await room.enter(flight.signal);
      const tools = (): ToolRunner => toolRunner(parts.tools());
      const shared = { request, parts, model, place, scope: toScope(turn), heavyWork, toolRunner: tools };
      const outcome = await conversations.use(conversationId, (conversation) => runTurn({ ...shared, conversation }));
      void reply.done(outcome);
    } catch (error) {
      void reply.fail(flight.signal.aborted ? flight.signal.reason : error);
    } finally {
      clearTimeout(timer);
      place?.leave();
    }
  }

  return {
    lanes,
    accept(request, idSource, bytes) {
      const turn = begin(request, idSource);
      try {
        const withdraw = lanes.add(turn.conversationId, { bytes, run: () => run(turn) });
        turn.flight.signal.addEventListener("abort", () => withdraw() && void turn.reply.fail(turn.flight.signal.reason), { once: true });
      } catch (error) {
        void turn.reply.fail(error);
      }
      return turn.reply;
    },
    whenEnded: (id) => turns.get(id)?.reply.ended ?? Promise.resolve(),
    cancelAllOf(conversationId, reason) {
      const concerned = [...turns.values()].filter((turn) => turn.conversationId === conversationId);
      // The last first, so that no waiting one begins when the running one ends.
      for (const turn of concerned.toReversed()) inFlight.cancel(turn.id, reason);
    },
    async repeat(conversationId, since) {
      const begun = [...turns.values()].filter((turn) => turn.conversationId === conversationId && turn.state === "running");
      const turn = begun.find(({ reply }) => !reply.isOver);
      if (!turn) {
        // An end that waits to be read is the last of its turn: nothing is sent again behind it, and the host learns of it first.
        await Promise.all(begun.map(({ reply }) => reply.ended));
        return undefined;
      }
      const events = turn.record.since(since);
      if (!events)
        throw new HawserError("too_large", "what the turn has sent since then is no longer held; load the conversation when it has ended");
      await Promise.all(events.map(({ event }) => outbox.put(turn.idSource, event)));
      return turn.id;
    },
  };
}

function toScope(turn: Turn): CallScope {
  const { conversationId, flight, reply } = turn;
  const guarded = createAbortGuard(flight.signal);
  return {
    conversationId,
    signal: flight.signal,
    // A host that does not read must not keep a turn from ending.
    emit: (event) => guarded(reply.emit(event)),
    heardAt: () => reply.heardAt,
    onQuestion: (isWaiting) => (turn.questions += isWaiting ? 1 : -1),
  };
}

function signOfLife(turn: Turn): string | undefined {
  if (turn.state === "waiting") return "waits for its turn";
  return turn.questions > 0 ? undefined : "still working";
}
