// The sessions of one connection. A session is a conversation of the runtime; what an editor says about it (folders, MCP servers,
// model, mode) reaches the runtime before its next prompt, since only then a question about the folder can be put.

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { RequestError, type McpServer, type SessionConfigOption, type SessionInfo } from "@agentclientprotocol/sdk";
import type { AgentClient, WorkspaceFolders } from "@hawser/agent/host/link";
import type { ModelEntry } from "@hawser/protocol";
import { acpLimits } from "../limits.ts";

export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  /** Still to be told to the runtime. */
  workspace: WorkspaceFolders | undefined;
  model: string | undefined;
  mode: "ask" | "deny";
  /** Ids of its turns. */
  readonly turns: Set<string>;
  /** Whether the editor was told a title. */
  hasTitle: boolean;
}

export interface SessionPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

const resourceNotFound = -32_002;

export function createSessions(client: AgentClient, homeFolder: string) {
  const sessions = new Map<string, Session>();

  function put(sessionId: string, place: SessionPlace, known: Partial<Session> = {}): Session {
    const folders = [place.cwd, ...(place.additionalDirectories ?? [])];
    for (const folder of folders) checkFolder(folder);
    if (!sessions.has(sessionId) && sessions.size >= acpLimits.acpSessionEntries)
      throw new RequestError(-32_603, `${sessions.size} sessions are open; close one first`);
    const session: Session = {
      sessionId,
      cwd: place.cwd,
      workspace: { folders, mcpServers: toServers(place.mcpServers ?? []) },
      model: undefined,
      mode: "ask",
      turns: new Set(),
      hasTitle: false,
      ...known,
    };
    sessions.set(sessionId, session);
    return session;
  }

  async function models(): Promise<readonly ModelEntry[]> {
    return (await client.listModels()).filter(({ available }) => available);
  }

  return {
    create: (place: SessionPlace): Session => put(randomUUID(), place),
    get(sessionId: string): Session {
      const session = sessions.get(sessionId);
      if (!session) throw new RequestError(resourceNotFound, `there is no session ${sessionId} here; load or resume it first`);
      return session;
    },
    /** Takes up a conversation of the history. */
    async reopen(sessionId: string, place: SessionPlace): Promise<Session> {
      const all = await client.listConversations();
      if (!all.some(({ conversationId }) => conversationId === sessionId))
        throw new RequestError(resourceNotFound, `there is no session ${sessionId}`);
      return put(sessionId, place, { hasTitle: true });
    },
    async list(cwd: string | undefined): Promise<SessionInfo[]> {
      const all = await client.listConversations();
      return all
        .map(({ conversationId, title, updatedAt, folder }) => ({
          sessionId: conversationId,
          cwd: folder ?? homeFolder,
          title,
          updatedAt: new Date(updatedAt).toISOString(),
        }))
        .filter((session) => cwd === undefined || session.cwd === cwd);
    },
    /** Its turns are cancelled, and what was given to it alone is let go. */
    async close(sessionId: string): Promise<void> {
      const session = sessions.get(sessionId);
      sessions.delete(sessionId);
      if (!session) return;
      await Promise.all([...session.turns].map((id) => client.cancel(id)));
      if (session.workspace === undefined) await client.setWorkspace(sessionId, { folders: [session.cwd] }).catch(() => {});
    },
    async options({ model, mode }: Session): Promise<SessionConfigOption[]> {
      const entries = await models();
      const current = model ?? entries.find((entry) => entry.current)?.model ?? entries[0]?.model ?? "offline";
      return [
        {
          type: "select",
          id: "model",
          name: "Model",
          category: "model",
          currentValue: current,
          options: entries.slice(0, acpLimits.acpOptionEntries).map((entry) => ({ value: entry.model, name: entry.model })),
        },
        {
          type: "select",
          id: "permissions",
          name: "Permissions",
          description: "What happens before something is changed.",
          category: "mode",
          currentValue: mode,
          options: [
            { value: "ask", name: "Ask", description: "You are asked before something is changed." },
            { value: "deny", name: "Only read", description: "What would change something is denied." },
          ],
        },
      ];
    },
    async setOption(session: Session, configId: string, value: unknown): Promise<void> {
      const refuse = (): never => {
        throw RequestError.invalidParams({ configId }, `there is no option ${configId} with that value`);
      };
      if (configId === "model") {
        if (!(await models()).some(({ model }) => model === value)) refuse();
        session.model = value as string;
      } else if (configId === "permissions" && (value === "ask" || value === "deny")) session.mode = value;
      else refuse();
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

function checkFolder(folder: string): void {
  const refuse = (problem: string): never => {
    throw RequestError.invalidParams({ folder }, `${folder} ${problem}`);
  };
  if (!isAbsolute(folder)) refuse("is not an absolute path");
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) refuse("does not exist");
  if (!found?.isDirectory()) refuse("is not a folder");
}

/** As the configuration has them. */
function toServers(servers: readonly McpServer[]): Record<string, unknown> {
  const pairs = (list: readonly { name: string; value: string }[]): Record<string, string> =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  return Object.fromEntries(
    servers.map((server) => {
      if ("url" in server) return [server.name, { type: server.type, url: server.url, headers: pairs(server.headers) }];
      return [server.name, { command: server.command, args: server.args, env: pairs(server.env) }];
    }),
  );
}
