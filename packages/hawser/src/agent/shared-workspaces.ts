// Workspaces besides the runtime's own, by their folders. Conversations in the same folders share one; a conversation to which a host
// has given MCP servers has its own. One that no turn uses stays for a while, so that its servers need not start again; the one
// that was used longest ago goes first.

import type { Workspace } from "@hawser/agent";
import { createRecentMap } from "@hawser/wire/internal";
import { hawserLimits } from "../limits.ts";

export interface OpenWorkspace {
  readonly workspace: Workspace;
  close(): Promise<void>;
}

export interface WorkspaceKey {
  readonly folders: readonly string[];
  readonly conversationId: string;
  /** Whether this conversation shares it with no other. */
  readonly isOwn: boolean;
}

interface Shared {
  readonly key: WorkspaceKey;
  readonly opening: Promise<OpenWorkspace>;
  users: number;
  /** It goes when its last user has left. */
  isLetGo: boolean;
}

type OpenFolders = (folders: readonly string[], conversationId: string) => Promise<OpenWorkspace>;

export function createSharedWorkspaces(open: OpenFolders) {
  /** In the order of last use. */
  const all = new Map<string, Shared>();

  /** Where conversations worked last, the latest ones. */
  const last = createRecentMap<Workspace>(hawserLimits.agentUsedFolderEntries);

  function enter(name: string, key: WorkspaceKey): Shared {
    const shared = all.get(name) ?? { key, opening: open(key.folders, key.conversationId), users: 0, isLetGo: false };
    all.delete(name);
    all.set(name, shared);
    shared.users++;
    return shared;
  }

  async function letGo(name: string, shared: Shared): Promise<void> {
    if (all.get(name) === shared) all.delete(name);
    shared.isLetGo = true;
    if (shared.users === 0) await shared.opening.then(({ close }) => close()).catch(() => {});
  }

  async function letGoOldest(): Promise<void> {
    const idle = [...all].filter(([, { users }]) => users === 0);
    for (const [name, shared] of idle.slice(0, Math.max(0, idle.length - hawserLimits.agentWorkspaceEntries))) await letGo(name, shared);
  }

  async function letGoWhere(isMeant: (key: WorkspaceKey) => boolean): Promise<void> {
    await Promise.all([...all].filter(([, { key }]) => isMeant(key)).map(([name, shared]) => letGo(name, shared)));
  }

  return {
    async use<Result>(key: WorkspaceKey, action: (workspace: Workspace) => Promise<Result>): Promise<Result> {
      const name = JSON.stringify([key.folders, key.isOwn ? key.conversationId : null]);
      const shared = enter(name, key);
      try {
        const { workspace } = await shared.opening;
        last.set(key.conversationId, workspace);
        return await action(workspace);
      } catch (error) {
        // One that could not be opened may be possible later: its folder may come back.
        await shared.opening.catch(() => letGo(name, shared));
        throw error;
      } finally {
        shared.users--;
        if (shared.isLetGo) await letGo(name, shared);
        else await letGoOldest();
      }
    },
    /** Where it worked when it was used last, if that is known. */
    lastOf: last.get,
    /** What one conversation had for itself. */
    release(conversationId: string): Promise<void> {
      last.delete(conversationId);
      return letGoWhere((key) => key.isOwn && key.conversationId === conversationId);
    },
    /** The next use of these folders opens them anew. */
    forget: (folders: readonly string[]): Promise<void> => letGoWhere((key) => JSON.stringify(key.folders) === JSON.stringify(folders)),
    close: (): Promise<void> => letGoWhere(() => true),
  };
}
