// Every request but `user_message`: answered at once, whatever the turns do. Each ends with one `done`,
// `error` or `status`.

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { HawserError, newTimedId, quoteShort, trustTool, type AnyAgentRequest } from "@hawser/protocol/internal";
import { createSemaphore, isSettledWithin, wireLimits, type InFlightTable } from "@hawser/wire/internal";
import type { Conversation } from "../history/conversation-store.ts";
import { agentLimits } from "../limits.ts";
import type { TurnAgent } from "../model/turn-agent.ts";
import { toAgentPlace } from "./agent-turn.ts";
import type { AgentParts, TrustQuestion } from "./agent-parts.ts";
import { createChangeAnswers, forgetChanges, forkChanges } from "./change-answers.ts";
import { withinOneLine } from "./one-line.ts";
import { createContextAnswers } from "./context-requests.ts";
import { toConversationLines } from "./conversation-lines.ts";
import { createFileAnswers } from "./file-answers.ts";
import type { Questions } from "./questions.ts";
import type { RecentConversations } from "./recent-conversations.ts";
import type { Reply } from "./reply.ts";
import { createSettingsAnswers } from "./settings-answers.ts";
import { toShownMessages } from "./shown-messages.ts";
import { createSteerAnswers } from "./steer-answers.ts";
import { checkConversationId, readMetadata } from "./turn-metadata.ts";
import type { Turns } from "./turns.ts";

export interface ControlOptions {
  readonly parts: AgentParts;
  readonly turns: Turns;
  readonly inFlight: InFlightTable;
  readonly conversations: RecentConversations;
  readonly questions: Questions;
  readonly startedAt: number;
  isStopping(): boolean;
  /** Of the last message that was accepted: what a request means that names none. */
  lastConversation(): string;
}

export type ControlRequest = Exclude<AnyAgentRequest, { kind: "user_message" }>;
export type Answer<Kind extends ControlRequest["kind"]> = (
  request: Extract<ControlRequest, { kind: Kind }>,
  reply: Reply,
  signal: AbortSignal,
) => Promise<void>;

/** How each kind is answered; throws what the one `error` says. */
export function createControlAnswers(
  options: ControlOptions,
): (request: ControlRequest, reply: Reply, signal: AbortSignal) => Promise<void> {
  const { parts, turns, inFlight, conversations, questions } = options;
  const { lanes } = turns;
  // Long answers are made one at a time: all of those that may be asked for at once would fill the memory.
  const longAnswers = createSemaphore(1);
  const answers: { readonly [Kind in ControlRequest["kind"]]: Answer<Kind> } = {
    ...createFileAnswers(options),
    ...createChangeAnswers(options, longAnswers),
    ...createSteerAnswers({ turns, inFlight, conversations }),
    ...createContextAnswers(options),
    ...createSettingsAnswers(options),
    async get_status(request, reply) {
      const { conversationId } = readMetadata(request, options.lastConversation());
      const { running, waiting } = lanes;
      const conversationLength = await parts.store.lengthOf(conversationId);
      const state = options.isStopping() ? "stopping" : running > 0 ? "busy" : "idle";
      const uptime = Math.round(performance.now() - options.startedAt);
      const servers = [...parts.workspaces.home.servers()];
      const workspace = parts.workspaces.lastOf(conversationId);
      await workspace.refresh();
      const more = { model: parts.models.current, running, waiting, ...(servers.length > 0 && { servers }), ...workspace.setting() };
      await reply.end({ type: "status", data: { state, conversationLength, uptime, ...more } });
    },
    async cancel({ id, target }, reply) {
      const turn = turns.find(target);
      const ended = turns.whenEnded(target);
      const count = inFlight.cancel(target, new HawserError("cancelled", `cancelled by request ${id}`));
      // Its end comes before ours, unless it takes too long.
      await isSettledWithin(ended, wireLimits.cancelGraceMs);
      // What was a steer and has not reached a model is not wanted any more.
      if (turn?.isNext) await conversations.use(turn.conversationId, (conversation) => conversation.withdrawSteer(target));
      await reply.done({ cancelled: count > 0 });
    },
    async permission_response(answer, reply) {
      questions.answer(answer);
      await reply.done();
    },
    async list_models(_, reply) {
      await reply.emit({ type: "models", data: { models: withinOneLine(await parts.models.list()) } });
      await reply.done();
    },
    async set_workspace({ conversationId, folders, mcpServers }, reply, signal) {
      checkFolders(folders);
      const isTrusted = (question: TrustQuestion): Promise<boolean> => askForTrust(conversationId, question, reply, signal);
      await lanes.afterwards(checkConversationId(conversationId), async () => {
        signal.throwIfAborted();
        const chosen = await parts.workspaces.choose({ conversationId, folders, mcpServers, isTrusted });
        // An agent with a process of its own works where that was started, with the tools that it was given then.
        await parts.models.release?.(conversationId);
        await conversations.use(conversationId, (conversation) => conversation.setFolders(chosen));
      });
      await reply.done();
    },
    async list_options({ conversationId, model }, reply) {
      checkConversationId(conversationId);
      const agent = await parts.models.pick(model);
      const entries = "stream" in agent ? [] : await inPlaceOf(agent, conversationId, (place) => agent.options(place));
      await reply.emit({ type: "options", data: { conversationId, options: [...entries] } });
      await reply.done();
    },
    async set_option({ conversationId, optionId, value, model }, reply) {
      checkConversationId(conversationId);
      const agent = await parts.models.pick(model);
      if ("stream" in agent) throw new HawserError("invalid_message", `${agent.name} has no option ${quoteShort(optionId, 100)}`);
      const entries = await lanes.alone(conversationId, () =>
        inPlaceOf(agent, conversationId, (place) => agent.setOption(place, optionId, value)),
      );
      await reply.emit({ type: "options", data: { conversationId, options: [...entries] } });
      await reply.done();
    },
    async subscribe({ conversationId, since = 0 }, reply) {
      const running = await turns.repeat(checkConversationId(conversationId), since);
      await reply.done(running === undefined ? undefined : { running });
    },
    async clear_history(request, reply) {
      const { conversationId, isForced } = readMetadata(request, options.lastConversation());
      if (isForced) turns.cancelAllOf(conversationId, new HawserError("cancelled", "cancelled: the history is cleared"));
      const whenFree = isForced ? lanes.afterwards : lanes.alone;
      await whenFree(conversationId, () => conversations.use(conversationId, (conversation) => conversation.clear()));
      await reply.done();
    },
    async list_conversations(_, reply) {
      const all = await parts.store.list();
      await longAnswers.run(() =>
        reply.emit({ type: "conversations", data: { conversations: withinOneLine(all.slice(0, agentLimits.agentListedEntries)) } }),
      );
      await reply.done();
    },
    async load_conversation({ conversationId, after, include = [] }, reply) {
      checkConversationId(conversationId);
      const load = async ({ title, messages, summaries }: Conversation): Promise<void> => {
        const from = after === undefined ? 0 : messages.findIndex(({ messageId }) => messageId === after) + 1;
        if (after !== undefined && from === 0) throw unknownMessage(after);
        for (const line of toConversationLines(toShownMessages(messages.slice(from), summaries, include)))
          await reply.emit({ type: "conversation", data: { conversationId, ...(title && { title }), ...line } });
      };
      await longAnswers.run(() => conversations.use(conversationId, load));
      await reply.done();
    },
    async delete_conversation({ conversationId }, reply) {
      await lanes.alone(checkConversationId(conversationId), async () => {
        await parts.models.release?.(conversationId);
        await conversations.delete(conversationId);
        await parts.workspaces.release(conversationId);
        await forgetChanges(options, conversationId);
      });
      await reply.done();
    },
    async fork_conversation({ conversationId, after }, reply) {
      checkConversationId(conversationId);
      const forkId = newTimedId("fork", 8);
      // A copy of a long one is written whole: one at a time.
      await longAnswers.run(() => parts.store.fork(conversationId, { conversationId: forkId, after }));
      await forkChanges(options, conversationId, forkId);
      await reply.emit({ type: "forked", data: { conversationId: forkId } });
      await reply.done();
    },
    async search_conversations({ query, limit = agentLimits.searchMatchEntries }, reply) {
      const most = Math.min(Math.ceil(limit), agentLimits.searchMostMatchEntries);
      const { matches, pending } = await parts.store.search(query, most);
      await reply.emit({ type: "found", data: { matches: withinOneLine(matches), ...(pending > 0 && { pending }) } });
      await reply.done();
    },
    async rename_conversation({ conversationId, title }, reply) {
      await conversations.use(checkConversationId(conversationId), (conversation) => conversation.rename(title));
      await reply.done();
    },
    async truncate_conversation({ conversationId, after }, reply) {
      await lanes.alone(checkConversationId(conversationId), () =>
        conversations.use(conversationId, async (conversation) => {
          if (after !== null && !conversation.messages.some(({ messageId }) => messageId === after)) throw unknownMessage(after);
          await conversation.truncate(after);
        }),
      );
      await reply.done();
    },
  };

  const inPlaceOf = <Result>(
    agent: TurnAgent,
    conversationId: string,
    action: (place: ReturnType<typeof toAgentPlace>) => Promise<Result>,
  ): Promise<Result> =>
    conversations.use(conversationId, (open) => parts.workspaces.use(open, (workspace) => action(toAgentPlace(agent, open, workspace))));

  async function askForTrust(conversationId: string, question: TrustQuestion, reply: Reply, signal: AbortSignal): Promise<boolean> {
    const { folder, brings, keptIn } = question;
    const call = {
      conversationId,
      toolId: randomUUID(),
      toolName: trustTool,
      input: { folder, brings: [...brings] },
      isReadOnly: false,
    };
    const { toolId, toolName, input } = call;
    const lasting = keptIn === undefined ? "" : `. A yes counts from now on; to take it back, remove it from ${keptIn}`;
    const reason = `${folder} brings along settings of its own; trust it only if you know where they come from${lasting}`;
    const put = (permissionId: string): Promise<void> =>
      reply.emit({ type: "permission_request", data: { permissionId, toolId, toolName, input, reason } });
    const answer = await questions.ask({ signal, heardAt: () => reply.heardAt }, put);
    parts.workspaces.home.policy.note(call, answer);
    return answer.decision !== "deny";
  }

  return (request, reply, signal) => (answers[request.kind] as Answer<typeof request.kind>)(request as never, reply, signal);
}

function checkFolders(folders: readonly string[]): void {
  const refuse = (problem: string): never => {
    throw new HawserError("invalid_message", `"folders" ${problem}`);
  };
  const { agentFolderEntries, maxPathBytes } = agentLimits;
  if (folders.length === 0) refuse("is empty; name at least one");
  if (folders.length > agentFolderEntries) refuse(`has ${folders.length} entries; at most ${agentFolderEntries} are possible`);
  for (const folder of folders) {
    if (!isAbsolute(folder) || folder.includes("\0")) refuse("has an entry that isn't an absolute path");
    if (Buffer.byteLength(folder) > maxPathBytes) refuse(`has an entry of more than ${maxPathBytes} bytes`);
  }
}

const unknownMessage = (messageId: string): HawserError =>
  new HawserError("invalid_message", `the conversation has no message ${quoteShort(messageId, 100)}; load it to see its messages`);
