// The open conversations of a store by their id, and the one place where their users are counted. Opening one that is
// open shares it, and it is let go when its last user has closed it. Opening and letting go of the same one wait for
// each other.

import { HawserError } from "@hawser/protocol";
import type { Conversation } from "./conversation-store.ts";
import type { OpenConversation } from "./open-conversation.ts";
import type { Transcript } from "./transcript.ts";

interface Shared {
  readonly opening: Promise<OpenConversation>;
  /** Once it is open. */
  conversation: OpenConversation | undefined;
  users: number;
}

export function createSharedConversations(load: (conversationId: string) => Promise<OpenConversation>) {
  const open = new Map<string, Shared>();
  /** What must be over before the next one may open it. */
  const leaving = new Map<string, Promise<unknown>>();
  let isClosed = false;

  function enter(conversationId: string): Shared {
    const before = open.get(conversationId);
    if (before) return before;
    const opening = (leaving.get(conversationId) ?? Promise.resolve()).then(() => load(conversationId));
    const shared: Shared = { opening, conversation: undefined, users: 0 };
    open.set(conversationId, shared);
    opening.then(
      (conversation) => (shared.conversation = conversation),
      () => open.get(conversationId) === shared && open.delete(conversationId),
    );
    return shared;
  }

  /** One after the other for each conversation. */
  function leave(conversationId: string, action: () => Promise<void>): Promise<void> {
    const result = (leaving.get(conversationId) ?? Promise.resolve()).then(action);
    const settled = result.catch(() => {});
    leaving.set(conversationId, settled);
    void settled.then(() => leaving.get(conversationId) === settled && leaving.delete(conversationId));
    return result;
  }

  async function closeShared(conversationId: string, shared: Shared): Promise<void> {
    if (open.get(conversationId) !== shared) return;
    open.delete(conversationId);
    await leave(conversationId, () => shared.opening.then((conversation) => conversation.close()));
  }

  function toHandle(conversation: OpenConversation, shared: Shared): Conversation {
    const { conversationId } = conversation;
    let isLetGo = false;
    const ifMine =
      <Args extends readonly unknown[], Result>(action: (...args: Args) => Promise<Result>) =>
      (...args: Args): Promise<Result> =>
        isLetGo ? Promise.reject(new HawserError("closed", "the conversation is closed")) : action(...args);
    return {
      conversationId,
      get title() {
        return conversation.title;
      },
      get folders() {
        return conversation.folders;
      },
      get messages() {
        return conversation.messages;
      },
      get bytes() {
        return conversation.bytes;
      },
      get isStale() {
        return conversation.isStale;
      },
      add: ifMine(conversation.add),
      addParts: ifMine(conversation.addParts),
      isUnfinished: conversation.isUnfinished,
      beforeCall: ifMine(conversation.beforeCall),
      finish: ifMine(conversation.finish),
      get summaries() {
        return conversation.summaries;
      },
      addSummary: ifMine(conversation.addSummary),
      get used() {
        return conversation.used;
      },
      get agentSession() {
        return conversation.agentSession;
      },
      keepAgentSession: ifMine(conversation.keepAgentSession),
      get steers() {
        return conversation.steers;
      },
      addSteer: ifMine(conversation.addSteer),
      changeSteer: ifMine(conversation.changeSteer),
      withdrawSteer: ifMine(conversation.withdrawSteer),
      takeSteers: ifMine(conversation.takeSteers),
      rename: ifMine(conversation.rename),
      setFolders: ifMine(conversation.setFolders),
      suggestTitle: ifMine(conversation.suggestTitle),
      truncate: ifMine(conversation.truncate),
      clear: ifMine(conversation.clear),
      async close() {
        if (isLetGo) return;
        isLetGo = true;
        if (--shared.users === 0) await closeShared(conversationId, shared);
      },
    };
  }

  return {
    async open(conversationId: string): Promise<Conversation> {
      if (isClosed) throw new HawserError("closed", "the history is closed");
      const shared = enter(conversationId);
      shared.users++;
      return toHandle(await shared.opening, shared);
    },
    allOpen: (): OpenConversation[] => [...open.values()].flatMap(({ conversation }) => conversation ?? []),
    ifOpen: (conversationId: string): OpenConversation | undefined => open.get(conversationId)?.conversation,
    /** What a conversation is now; opens it if it isn't open. */
    async transcriptOf(conversationId: string): Promise<Transcript> {
      if (isClosed) throw new HawserError("closed", "the history is closed");
      const shared = enter(conversationId);
      shared.users++;
      try {
        return (await shared.opening).transcript;
      } finally {
        if (--shared.users === 0) await closeShared(conversationId, shared);
      }
    },
    /** Closes it for all of its users, then runs the action before it can be opened again. */
    take(conversationId: string, action: () => Promise<void>): Promise<void> {
      if (isClosed) return Promise.reject(new HawserError("closed", "the history is closed"));
      const shared = open.get(conversationId);
      open.delete(conversationId);
      return leave(conversationId, async () => {
        const conversation = await shared?.opening.catch(() => undefined);
        await conversation?.close();
        await action();
      });
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled([...open].map(([conversationId, shared]) => closeShared(conversationId, shared)));
      await Promise.allSettled(leaving.values());
    },
  };
}
