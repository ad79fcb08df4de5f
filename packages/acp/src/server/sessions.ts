// The sessions of one connection. A session is a conversation of the runtime; what an editor says about it (folders, MCP servers,
// model, mode) reaches the runtime before its next prompt, since only then a question about the folder can be put.

import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { RequestError, type McpServer, type SessionInfo } from "@agentclientprotocol/sdk";
import type { AgentClient, WorkspaceFolders } from "@hawser/agent/host/link";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import { acpLimits } from "../limits.ts";

export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  readonly workspace: WorkspaceFolders;
  /** Whether the runtime knows the workspace. */
  isPlaced: boolean;
  /** Until it is placed, or can't be yet. */
  placing: Promise<void>;
  /** Begun here, and nothing was said in it. */
  isEmpty: boolean;
  /** The options that the editor knows. */
  told: string;
  /** The one that was chosen for it. */
  model: string | undefined;
  /** The one that would answer now. */
  answering: string;
  mode: "ask" | "deny";
  /** One for each prompt that is being answered. */
  readonly prompts: Set<AbortController>;
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
      isPlaced: false,
      placing: Promise.resolve(),
      isEmpty: false,
      told: "",
      answering: "",
      model: undefined,
      mode: "ask",
      // Taken up again while it answers, it can still be cancelled.
      prompts: sessions.get(sessionId)?.prompts ?? new Set(),
      hasTitle: false,
      ...known,
    };
    sessions.set(sessionId, session);
    return session;
  }

  /** Ends what is being answered, also a prompt that the runtime has not been told of yet. */
  function cancel(sessionId: string): void {
    for (const prompt of sessions.get(sessionId)?.prompts.keys() ?? [])
      prompt.abort(new HawserError("cancelled", "cancelled by the editor"));
  }

  /** What was begun for a session in which nothing was said leaves the history again. */
  async function forgetEmpty(session: Session): Promise<void> {
    await session.placing;
    if (session.isEmpty && session.isPlaced) await client.deleteConversation(session.sessionId).catch(() => {});
  }

  return {
    cancel,
    create: (place: SessionPlace): Session => put(randomUUID(), place, { isEmpty: true }),
    get(sessionId: string): Session {
      const session = sessions.get(sessionId);
      if (!session)
        throw new RequestError(resourceNotFound, `there is no session ${quoteShort(sessionId, 100)} here; load or resume it first`);
      return session;
    },
    /** Takes up a conversation of the history. */
    async reopen(sessionId: string, place: SessionPlace): Promise<Session> {
      const all = await client.listConversations();
      if (!all.some(({ conversationId }) => conversationId === sessionId))
        throw new RequestError(resourceNotFound, `there is no session ${quoteShort(sessionId, 100)}`);
      return put(sessionId, place, { hasTitle: true });
    },
    async list(folder: string | undefined): Promise<SessionInfo[]> {
      const all = await client.listConversations();
      // The runtime knows folders by their real paths.
      const cwd = folder && existsSync(folder) ? realpathSync(folder) : folder;
      return all
        .filter(({ conversationId }) => !sessions.get(conversationId)?.isEmpty)
        .map(({ conversationId, title, updatedAt, folder: first }) => ({
          sessionId: conversationId,
          cwd: first ?? homeFolder,
          ...(title !== "" && { title }),
          updatedAt: new Date(updatedAt).toISOString(),
        }))
        .filter((session) => cwd === undefined || session.cwd === cwd);
    },
    /** Its turns are cancelled, and what was given to it alone is let go. */
    async close(sessionId: string): Promise<void> {
      const session = sessions.get(sessionId);
      const isAnswering = session !== undefined && session.prompts.size > 0;
      cancel(sessionId);
      sessions.delete(sessionId);
      if (!session) return;
      await forgetEmpty(session);
      const { folders, mcpServers = {} } = session.workspace;
      // It comes after the turn that was cancelled: what is next needs the conversation to be free.
      if (session.isPlaced && (isAnswering || Object.keys(mcpServers).length > 0))
        await client.setWorkspace(sessionId, { folders }).catch(() => {});
    },
    /** The connection ends. */
    async end(): Promise<void> {
      for (const session of sessions.values()) await forgetEmpty(session);
    },
  };
}

function checkFolder(folder: string): void {
  const refuse = (problem: string): never => {
    throw RequestError.invalidParams(undefined, `the folder ${quoteShort(folder, 200)} ${problem}`);
  };
  if (!isAbsolute(folder)) refuse("is not an absolute path");
  if (!existsSync(folder)) refuse("does not exist");
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) refuse("is not a folder");
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
