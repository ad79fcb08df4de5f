// The sessions of one connection. A session is a conversation of the runtime; what an editor says about it (folders, MCP servers,
// model, mode) reaches the runtime before its next prompt, since only then a question about the folder can be put.

import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { RequestError, type McpServer, type SessionConfigOption, type SessionInfo } from "@agentclientprotocol/sdk";
import type { AgentClient, WorkspaceFolders } from "@hawser/agent/host/link";
import { HawserError, quoteShort, type ModelEntry } from "@hawser/protocol/internal";
import { acpLimits } from "../limits.ts";

export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  readonly workspace: WorkspaceFolders;
  /** Whether the runtime knows the workspace. */
  isPlaced: boolean;
  model: string | undefined;
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

const modes = [
  { value: "ask", name: "Ask", description: "You are asked before something is changed." },
  { value: "deny", name: "Only read", description: "What would change something is denied." },
] as const;

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

  /** What can be chosen. What is chosen is among it also when it can't be used: each turn says why then. */
  async function models(): Promise<readonly ModelEntry[]> {
    return (await client.listModels()).filter(({ available, current }) => available || current);
  }

  /** Ends what is being answered, also a prompt that the runtime has not been told of yet. */
  function cancel(sessionId: string): void {
    for (const prompt of sessions.get(sessionId)?.prompts.keys() ?? [])
      prompt.abort(new HawserError("cancelled", "cancelled by the editor"));
  }

  async function options({ model, mode }: Session): Promise<SessionConfigOption[]> {
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
        options: modes.map((each) => ({ ...each })),
      },
    ];
  }

  return {
    cancel,
    create: (place: SessionPlace): Session => put(randomUUID(), place),
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
      const { folders, mcpServers = {} } = session.workspace;
      // It comes after the turn that was cancelled: what is next needs the conversation to be free.
      if (session.isPlaced && (isAnswering || Object.keys(mcpServers).length > 0))
        await client.setWorkspace(sessionId, { folders }).catch(() => {});
    },
    /** The choices of a session, and the one of permissions once more as modes, for editors that know only those. */
    async choices(session: Session) {
      const availableModes = modes.map(({ value: id, name, description }) => ({ id, name, description }));
      return { configOptions: await options(session), modes: { currentModeId: session.mode, availableModes } };
    },
    options,
    setMode(session: Session, mode: string): void {
      const known = modes.find(({ value }) => value === mode);
      if (!known) throw RequestError.invalidParams(undefined, `there is no mode ${quoteShort(mode, 100)}`);
      session.mode = known.value;
    },
    async setOption(session: Session, configId: string, value: unknown): Promise<void> {
      const refuse = (): never => {
        throw RequestError.invalidParams(undefined, `there is no option ${quoteShort(configId, 100)} with that value`);
      };
      if (configId === "model") {
        if (!(await models()).some(({ model }) => model === value)) refuse();
        session.model = value as string;
      } else if (configId === "permissions" && typeof value === "string") this.setMode(session, value);
      else refuse();
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
