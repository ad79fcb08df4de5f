// What the user can do. Each action asks the runtime, and changes the screen when that has agreed. A refusal becomes a
// notice that says what was tried and why it did not work.

import type { AgentMessage, AgentTurn, Decision } from "@hawser/agent/host/link";
import { describeThrown, joinTexts, reveal, toHawserError, type OptionEntry } from "@hawser/protocol/internal";
import { chosenModel, folderOf, isConnected, runningTurnsOf, type Message } from "../state/page-state.ts";
import type { Session } from "./session.ts";
import { createFolderChooser } from "./workspaces.ts";

const ignore = (): void => {};

export type Actions = ReturnType<typeof createActions>;

export interface GivenAnswer {
  readonly decision: Decision;
  /** How the user did it, for the audit log. */
  readonly via: "click" | "key" | "shortcut";
  /** Which of the question's own answers. */
  readonly optionId?: string | undefined;
}

export function createActions({ store, client, follow, notify, open, onWaitingChanged }: Session) {
  const folders = createFolderChooser({ store, client });

  async function attempt(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      notify(`${what}: ${describeThrown(error)}`);
      return false;
    }
  }

  /** False when it could not be sent; the text is then still the user's. */
  async function send(text: string, attachments: NonNullable<AgentMessage["attachments"]>): Promise<boolean> {
    const { currentId, pickedModel } = store.getState();
    const metadata = { conversationId: currentId, ...(pickedModel !== undefined && { model: pickedModel }) };
    const turn = client.send({ message: text, ...(attachments.length > 0 && { attachments }), metadata });
    const isSent = (): boolean => store.getState().turns[turn.id] !== undefined;
    const sent = Promise.withResolvers<void>();
    const forget = store.subscribe(() => (isSent() ? sent.resolve() : undefined));
    await Promise.race([follow(turn), sent.promise]);
    forget();
    const wasSent = isSent();
    if (!wasSent) notify("The message was not sent: the agent is not connected. Your text is kept.");
    return wasSent;
  }

  return {
    send,
    /** Ends every turn of the conversation on the screen. */
    stop(): void {
      const running = runningTurnsOf(store.getState(), store.getState().currentId);
      // The last first, so that no waiting one begins when the running one ends.
      for (const { id } of running.toReversed()) void attempt("Could not stop", () => client.cancel(id));
    },
    /** Says something to the turn that runs. False when that could not be; the text is then still the user's. */
    async steer(text: string): Promise<boolean> {
      const state = store.getState();
      const conversationId = state.currentId;
      const target = runningTurnsOf(state, conversationId)[0]?.id;
      if (target === undefined) return send(text, []);
      // The turn may end before the model has seen it: then it is a message of its own.
      const onNext = (turn: AgentTurn): void => {
        const request = { id: turn.id, kind: "user_message", message: text, metadata: { conversationId } } as const;
        store.dispatch({ type: "asked", request, at: Date.now() });
        void follow(turn);
      };
      const isTaken = await attempt("It could not be said to this turn", () => client.steer(target, text, { onNext }));
      onWaitingChanged();
      return isTaken;
    },
    async editWaiting(id: string, text: string): Promise<void> {
      await attempt("It could not be changed", () => client.editQueued(id, text));
      onWaitingChanged();
    },
    async takeBack(id: string, isSteer: boolean): Promise<void> {
      await attempt("It could not be taken back", () => (isSteer ? client.withdraw(id) : client.cancel(id)));
      onWaitingChanged();
    },
    /** Opens a new conversation that begins as the one on the screen, up to a message; to its end unless named. */
    async fork(after?: string): Promise<void> {
      await attempt("Could not fork", async () => {
        const forked = await client.fork(store.getState().currentId, after === undefined ? {} : { after });
        open(forked);
        const conversations = await client.listConversations();
        store.dispatch({ type: "learned", facts: { conversations } });
      });
    },
    /** Has the model summarise what was said; the history keeps all of it. */
    async compact(): Promise<void> {
      await attempt("Could not make room", async () => {
        const conversationId = store.getState().currentId;
        store.dispatch({ type: "learned", facts: { compacting: conversationId } });
        try {
          const compaction = await client.compactConversation(conversationId);
          store.dispatch({ type: "compacted", compaction });
          const { messages, tokensBefore, tokensAfter } = compaction;
          notify(
            `The model now has a summary of the first ${messages} messages: about ${tokensAfter} tokens instead of ${tokensBefore}.`,
            true,
          );
        } finally {
          // Another one may have begun meanwhile.
          if (store.getState().compacting === conversationId) store.dispatch({ type: "learned", facts: { compacting: undefined } });
        }
      });
    },
    async answer(permissionId: string, answer: GivenAnswer): Promise<void> {
      try {
        await client.respondPermission(permissionId, answer);
      } catch (error) {
        const { code, message } = toHawserError(error);
        const isLost = code === "connection_lost";
        notify(isLost ? `The answer may not have arrived: ${message}. Answer again.` : `The answer came too late: ${message}`);
        store.dispatch({ type: isLost ? "permission_reopened" : "permission_expired", permissionId });
      }
    },
    /** Sends a message of the user again, in its old place, with another text if there is one. */
    async sendAgain(message: Message, text = textOf(message)): Promise<void> {
      const { currentId, threads } = store.getState();
      const messages = threads[currentId]?.messages ?? [];
      const before = messages.slice(0, messages.indexOf(message)).findLast(({ messageId }) => messageId !== undefined);
      const after = before?.messageId ?? null;
      const attachments = message.parts.filter((part) => part.kind === "attachment").map(({ path, mime }) => ({ path, mime }));
      if (!(await attempt("Could not send it again", () => client.truncateConversation(currentId, after)))) return;
      store.dispatch({ type: "truncated", conversationId: currentId, after });
      await send(text, attachments);
    },
    /** Whether messages may be sent again now; if not, the user is told why. */
    mayChangeHistory(): boolean {
      const state = store.getState();
      const isRunning = runningTurnsOf(state, state.currentId).length > 0;
      if (isRunning) notify("The agent is still answering. Stop it first, or wait until it has finished.");
      else if (!isConnected(state)) notify("The agent is not connected. Reconnecting…");
      return !isRunning && isConnected(state);
    },
    async rename(conversationId: string, title: string): Promise<void> {
      if (await attempt("Could not rename", () => client.renameConversation(conversationId, title)))
        store.dispatch({ type: "renamed", conversationId, title });
    },
    async remove(conversationId: string): Promise<void> {
      if (!(await attempt("Could not delete", () => client.deleteConversation(conversationId)))) return;
      store.dispatch({ type: "deleted", conversationId });
      if (store.getState().currentId === conversationId) open();
    },
    /** What is available may have changed since the page was opened: somebody logged in, or started a server. */
    async refreshModels(): Promise<void> {
      await client.listModels().then((models) => store.dispatch({ type: "learned", facts: { models } }), ignore);
    },
    /** Begins a conversation in a folder; unless one is named, where the one on the screen works. */
    begin(folder?: string): void {
      const state = store.getState();
      const wanted = folder ?? folderOf(state, state.currentId);
      const id = open();
      if (wanted !== undefined && wanted !== state.link.root) void folders.choose(id, wanted);
    },
    chooseFolder: (folder: string): Promise<string | undefined> => folders.choose(store.getState().currentId, folder),
    answerTrust: folders.answerTrust,
    loadAgain: (): void => store.dispatch({ type: "load_wanted", conversationId: store.getState().currentId }),
    /** Of the folder in which the conversation on the screen works; none where the runtime does not list them. */
    async findFiles(query: string): Promise<readonly string[]> {
      const { runtime, currentId } = store.getState();
      if (!runtime?.info.capabilities.includes("files")) return [];
      return client.listFiles(currentId, query).then(
        ({ files }) => files,
        () => [],
      );
    },
    /** Folders below a path that is being typed; none where the runtime does not list them. */
    async findFolders(path: string): Promise<readonly string[]> {
      if (!store.getState().runtime?.info.capabilities.includes("files")) return [];
      return client.listFolders(path).then(
        ({ folders: found }) => found,
        () => [],
      );
    },
    async setOption({ optionId, name }: OptionEntry, value: string | boolean): Promise<void> {
      const state = store.getState();
      const model = chosenModel(state);
      const conversationId = state.currentId;
      if (model === undefined) return;
      await attempt(`Could not set ${reveal(name)}`, async () => {
        const entries = await client.setOption(conversationId, { optionId, value, model });
        store.dispatch({ type: "learned", facts: { agentOptions: { conversationId, model, entries } } });
      });
    },
    pickModel: (model: string | undefined): void => store.dispatch({ type: "learned", facts: { pickedModel: model } }),
  };
}

/** What was said, for copying it or sending it again: with a blank line where a tool was between. What was thought, planned or summarised is not said. */
export function textOf({ parts }: Message): string {
  const said = parts.filter(({ kind }) => kind !== "thought" && kind !== "plan" && kind !== "summary");
  return joinTexts(said.map((part) => (part.kind === "text" ? part.text : undefined)));
}
