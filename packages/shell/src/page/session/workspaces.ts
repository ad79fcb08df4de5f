// The folders in which conversations work. Choosing one asks the runtime, which may ask back whether what the folder brings along is
// to be trusted: that question stands in the state until the user has answered it, or it is over.

import type { AgentClient, Decision, PermissionRequest } from "@hawser/agent/host/link";
import { describeThrown, isRecord } from "@hawser/protocol/internal";
import type { PageState, TrustQuestion } from "../state/page-state.ts";
import type { Store } from "./store.ts";

interface FolderChooserOptions {
  readonly store: Store;
  readonly client: Pick<AgentClient, "setWorkspace">;
}

export function createFolderChooser({ store, client }: FolderChooserOptions) {
  let decide: ((decision: Decision) => void) | undefined;

  async function ask(request: PermissionRequest, signal: AbortSignal): Promise<Decision> {
    const { promise, resolve } = Promise.withResolvers<Decision>();
    decide = resolve;
    // Answered in another tab, or given up.
    signal.addEventListener("abort", () => resolve("deny"), { once: true });
    store.dispatch({ type: "learned", facts: { trust: toTrustQuestion(request) } });
    const decision = await promise;
    decide = undefined;
    store.dispatch({ type: "learned", facts: { trust: undefined } });
    return decision;
  }

  return {
    /** Resolves with the reason when it can't be used. */
    async choose(conversationId: string, folder: string): Promise<string | undefined> {
      try {
        await client.setWorkspace(conversationId, { folders: [folder] }, { onPermission: (request, { signal }) => ask(request, signal) });
        store.dispatch({ type: "moved", conversationId, folder });
        return undefined;
      } catch (error) {
        return describeThrown(error);
      }
    },
    answerTrust: (decision: Decision): void => decide?.(decision),
  };
}

function toTrustQuestion({ permissionId, input, reason }: PermissionRequest): TrustQuestion {
  const { folder, brings } = isRecord(input) ? input : {};
  return {
    permissionId,
    folder: typeof folder === "string" ? folder : reason,
    brings: Array.isArray(brings) ? brings.map(String) : [],
  };
}

/** Those that conversations work in, the latest first, and the one that the runtime was started in. */
export function knownFolders(state: Pick<PageState, "conversations" | "link">): readonly string[] {
  const used = state.conversations.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  return [...new Set([...used, ...(state.link.root === undefined ? [] : [state.link.root])])];
}

export interface Project {
  /** Undefined where none is known. */
  readonly folder: string | undefined;
  readonly conversations: PageState["conversations"];
}

/** The conversations by their folders; both in the order of the list. `home`: of those that have none of their own. */
export function toProjects(conversations: PageState["conversations"], home: string | undefined): readonly Project[] {
  const groups = Map.groupBy(conversations, ({ folder }) => folder ?? home);
  return [...groups].map(([folder, members]) => ({ folder, conversations: members }));
}

/** The end of a path tells more than its beginning. */
export const nameOfFolder = (folder: string): string => folder.split(/[/\\]/).findLast((part) => part !== "") ?? folder;
