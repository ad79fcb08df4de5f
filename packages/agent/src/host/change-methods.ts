// What a host asks about changes in files: `list_changes`, `revert_changes`.

import type { ChangesData, RevertedData } from "@hawser/protocol";
import type { AskOne } from "./request-answers.ts";

export interface ListChangesOptions {
  /** Only what this request has changed; the `id` of its turn. */
  readonly requestId?: string | undefined;
  readonly diff?: boolean | undefined;
}

export interface RevertChangesOptions {
  /** Only what this request has changed; it may be an earlier revert. */
  readonly requestId?: string | undefined;
  /** Only these files, and what lies in these folders. */
  readonly paths?: readonly string[] | undefined;
}

export interface ChangeMethods {
  /** What the turns of a conversation have changed in files. */
  listChanges(conversationId: string, options?: ListChangesOptions): Promise<ChangesData>;
  /** Takes changes back. What was changed again since is a conflict, and stays. Rejects while a turn of the conversation runs. */
  revertChanges(conversationId: string, options?: RevertChangesOptions): Promise<RevertedData>;
}

export function createChangeMethods(askOne: AskOne): ChangeMethods {
  return {
    async listChanges(conversationId, { requestId, diff } = {}) {
      const which = { ...(requestId !== undefined && { requestId }), ...(diff !== undefined && { diff }) };
      return (await askOne("changes", { kind: "list_changes", conversationId, ...which }, "changes")).data;
    },
    async revertChanges(conversationId, { requestId, paths } = {}) {
      const which = { ...(requestId !== undefined && { requestId }), ...(paths && { paths: [...paths] }) };
      return (await askOne("changes", { kind: "revert_changes", conversationId, ...which }, "reverted")).data;
    },
  };
}
