// `list_changes` and `revert_changes`: what the turns of a conversation have changed in the folders where it works. A list is answered at
// once, also while a turn runs; a revert waits for none and is refused then.

import { HawserError, toHawserError } from "@hawser/protocol";
import type { Semaphore } from "@hawser/wire/internal";
import { logLine } from "@hawser/wire/internal/node";
import type { WorkspaceChanges } from "../changes/workspace-changes.ts";
import { agentLimits } from "../limits.ts";
import { undoLimits } from "../changes/limits.ts";
import type { Answer, ControlOptions } from "./control-requests.ts";
import { withinOneLine } from "./one-line.ts";
import { checkConversationId } from "./turn-metadata.ts";

interface ChangeAnswers {
  readonly list_changes: Answer<"list_changes">;
  readonly revert_changes: Answer<"revert_changes">;
}

/** `longAnswers`: those that fill lines are made one at a time. */
export function createChangeAnswers({ parts, turns, conversations }: ControlOptions, longAnswers: Semaphore): ChangeAnswers {
  const inFolders = <Result>(conversationId: string, action: (changes: WorkspaceChanges) => Promise<Result>): Promise<Result> =>
    conversations.use(conversationId, (conversation) =>
      parts.workspaces.use(conversation, ({ changes }) => {
        if (!changes)
          throw new HawserError("usage", "undo is switched off for this agent, so no changes are known; start it without --no-undo");
        return action(changes);
      }),
    );

  return {
    async list_changes({ conversationId, requestId, diff }, reply) {
      checkConversationId(conversationId);
      await longAnswers.run(async () => {
        const found = await inFolders(conversationId, (changes) => changes.list({ conversationId, requestId, diff }));
        const { untracked } = found;
        const changes = withinOneLine(found.changes.toReversed()).toReversed();
        const leftOut = found.leftOut + found.changes.length - changes.length;
        await reply.emit({
          type: "changes",
          data: { changes, ...(untracked.length > 0 && { untracked }), ...(leftOut > 0 && { leftOut }) },
        });
      });
      await reply.done();
    },
    async revert_changes({ id, conversationId, requestId: target, paths }, reply) {
      checkConversationId(conversationId);
      const { undoPathEntries } = undoLimits;
      if (paths && paths.length > undoPathEntries)
        throw new HawserError("invalid_message", `"paths" has ${paths.length} entries; at most ${undoPathEntries} are possible`);
      const { reverted, conflicts } = await turns.lanes.alone(conversationId, () =>
        inFolders(conversationId, (changes) => changes.revert({ conversationId, target, paths, requestId: id })),
      );
      await reply.emit({ type: "reverted", data: { reverted: withinHalf(reverted), conflicts: withinHalf(conflicts) } });
      await reply.done();
    },
  };
}

/** Two lists share a line. */
const withinHalf = <Entry>(entries: readonly Entry[]): Entry[] => withinOneLine(entries, agentLimits.agentListedBytes / 2);

/** The conversation is deleted; what was kept for it may stay for a while without harm. */
export async function forgetChanges({ parts }: ControlOptions, conversationId: string): Promise<void> {
  await parts.changes?.forget(conversationId).catch(tell("what a deleted conversation has changed is still kept"));
}

/** What the messages of a fork have changed is its own, too. */
export async function forkChanges({ parts, conversations }: ControlOptions, conversationId: string, forkId: string): Promise<void> {
  const requestIds = (): Promise<string[]> =>
    conversations.use(forkId, async ({ messages }) => messages.flatMap(({ requestId }) => requestId ?? []));
  await parts.changes?.fork(conversationId, forkId, requestIds).catch(tell("a forked conversation does not know what was changed before"));
}

const tell =
  (what: string) =>
  (error: unknown): void =>
    logLine(`[hawser] undo: ${what}: ${toHawserError(error).message}`);
