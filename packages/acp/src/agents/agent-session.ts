// The session of one process: the one that knows the conversation is taken up again (resumed, else loaded), else a new one is
// begun, which has to be told the conversation.

import { methods, type McpServer, type NewSessionResponse } from "@agentclientprotocol/sdk";
import type { AgentPlace } from "@hawser/agent";
import { describeThrown } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import { notAcp, type AgentProcess } from "../connection/agent-process.ts";
import { acpLimits } from "../limits.ts";
import { readOptions, type SessionOptions } from "./session-options.ts";

export interface AgentSession {
  readonly sessionId: string;
  /** Whether it knows what was said until now. */
  isKnown: boolean;
  /** Whether anything was said in it since it was begun here. */
  isUsed: boolean;
  options: SessionOptions;
}

export interface OpenSessionOptions {
  readonly name: string;
  readonly process: AgentProcess;
  readonly place: AgentPlace;
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  /** The one that the process has until now. */
  readonly current: AgentSession | undefined;
}

/** Rejects with what the agent says, or when it takes too long. */
export async function openSession(options: OpenSessionOptions): Promise<AgentSession> {
  const { process, place, current } = options;
  if (current && (current.sessionId === place.sessionId || !current.isUsed)) return current;
  const taken = current || place.sessionId === undefined ? undefined : await takeUp(options, place.sessionId);
  if (taken) return taken;
  if (current) await closeSession(process, current);
  const beginning: Promise<NewSessionResponse> = process.request(methods.agent.session.new, toParams(options));
  const begun = await process.inTime("opened a session", beginning);
  const { sessionId }: Partial<NewSessionResponse> = begun ?? {};
  if (typeof sessionId !== "string" || sessionId === "" || sessionId.length > acpLimits.acpIdChars)
    throw notAcp(options.name, methods.agent.session.new);
  return { sessionId, isKnown: false, isUsed: false, options: readOptions(begun) };
}

/** Undefined when the agent can't, or does not know it any more. */
async function takeUp(options: OpenSessionOptions, sessionId: string): Promise<AgentSession | undefined> {
  const { name, process } = options;
  const { agentCapabilities: { loadSession, sessionCapabilities } = {} } = process.initialized;
  const { resume, load } = methods.agent.session;
  // Gemini CLI loads only what an earlier minute has written, and replays it after its answer, into the next turn.
  const mayLoad = loadSession && !/gemini/i.test(process.initialized.agentInfo?.name ?? "");
  const ways = [...(sessionCapabilities?.resume ? [resume] : []), ...(mayLoad ? [load] : [])];
  for (const method of ways) {
    try {
      const answer = await process.inTime(`taken up its session`, process.request(method, { ...toParams(options), sessionId }));
      return { sessionId, isKnown: true, isUsed: true, options: readOptions(answer) };
    } catch (error) {
      if (process.lost.aborted) throw error;
      logLine(`[hawser] ${name}: ${method} failed, so it is told the conversation anew: ${describeThrown(error)}`);
    }
  }
  return undefined;
}

function toParams({ process, place, cwd, mcpServers }: OpenSessionOptions) {
  const [, ...others] = place.folders;
  const takesMore = Boolean(process.initialized.agentCapabilities?.sessionCapabilities?.additionalDirectories);
  return { cwd, mcpServers, ...(takesMore && others.length > 0 && { additionalDirectories: others }) };
}

/** It isn't needed any more; an agent that can't close one keeps it until its end. */
async function closeSession(process: AgentProcess, { sessionId }: AgentSession): Promise<void> {
  if (!process.initialized.agentCapabilities?.sessionCapabilities?.close) return;
  await process.inTime("closed a session", process.request(methods.agent.session.close, { sessionId })).catch((error: unknown) => {
    if (process.lost.aborted) throw error;
  });
}
