// An ACP agent that is our child, with everything it starts; it never outlives us. Its requests and notifications reach the
// handlers, ours end with an answer or with why the agent is gone. What it writes to stderr is kept for that reason only.

import { client, methods, PROTOCOL_VERSION, RequestError, type ClientConnection, type InitializeResponse } from "@agentclientprotocol/sdk";
import type { AuthMethod, Implementation, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { createNoiseLog, describeThrown, HawserError, isRecord, toErrorText } from "@hawser/protocol/internal";
import { isSettledWithin } from "@hawser/wire/internal";
import { createLastWords, describeExit, logLine, ndjson, startChild, type Codec } from "@hawser/wire/internal/node";
import { acpLimits } from "../limits.ts";
import { createMessageStream } from "./message-stream.ts";

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface AgentProcessOptions {
  /** For messages and the log: `acp/codex`. */
  readonly name: string;
  readonly command: AgentCommand;
  readonly version: string;
  /** What the agent tells; the next thing is read when it is handled. Must not reject. */
  onUpdate(params: unknown): Promise<void>;
  /** Must not reject. */
  onPermission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

export type AgentProcess = Awaited<ReturnType<typeof startAgentProcess>>;
type Requests = ClientConnection["agent"]["request"];

/** An agent that streams a character in two pieces spells each half as an escape; the halves meet again where text is joined. */
const lines: Codec = { ...ndjson, createDecoder: (options) => ndjson.createDecoder({ ...options, passesHalfPairs: true }) };

/** Rejects when there is no such program, it speaks another protocol, or does not answer in time. */
export async function startAgentProcess(options: AgentProcessOptions) {
  const { name, command } = options;
  const lastWords = createLastWords();
  const child = await startChild({ ...command, codec: lines, isGuarded: true, onStderr: lastWords.add });
  const stream = createMessageStream({
    transport: child.transport,
    take: (method, params) => (method === methods.client.session.update ? options.onUpdate(params) : undefined),
    onNoise: createNoiseLog((words) => logLine(`[hawser] ${name}: ${words}`)),
    // An agent that asks and does not read the answers is not read any further.
    room: { entries: acpLimits.acpRequestEntries, chars: acpLimits.acpRequestChars },
  });
  const connection = client({ name: "hawser" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => options.onPermission(params, signal))
    // The library logs a notification that has no handler; agents have some of their own.
    .onNotification("*", () => {})
    .connect(stream);
  let stopping: Promise<void> | undefined;
  // What it has started may hold its pipes open; it is over all the same.
  void child.exited.then(() => child.stop());

  /** Why it is gone, once its lines have ended. */
  async function describeEnd(): Promise<HawserError> {
    const end = describeExit(await child.stop(), lastWords.text);
    return new HawserError("connection_lost", toErrorText(`${name} ${end}. Send the message again to start it anew`));
  }

  async function stop(): Promise<void> {
    connection.close();
    await child.stop();
  }

  const request = (async (method: string, params: unknown) => {
    try {
      return await connection.agent.request(method, params);
    } catch (error) {
      if (error instanceof RequestError || stopping) throw error;
      if (connection.signal.aborted) throw await describeEnd();
      // The library's check of the answer's shape.
      throw new HawserError(
        "model_failed",
        toErrorText(`${name} answers ${method} with something else than ACP has: ${describeThrown(error)}`),
      );
    }
  }) as Requests;

  const agent = {
    /** Aborted when its lines have ended. */
    lost: connection.signal,
    request,
    notify: connection.agent.notify.bind(connection.agent),
    /** Rejects, and ends the agent, when it takes too long. */
    async inTime<Result>(what: string, work: Promise<Result>): Promise<Result> {
      if (await isSettledWithin(work, acpLimits.acpStartMs)) return work;
      child.kill("SIGKILL");
      throw new HawserError("timeout", `${name} has not ${what} within ${acpLimits.acpStartMs / 1000} seconds; it was ended`);
    },
    stop: (): Promise<void> => (stopping ??= stop()),
  };

  try {
    const initialized = await agent.inTime("answered `initialize`", initialize(options, request));
    return { ...agent, initialized };
  } catch (error) {
    await agent.stop();
    throw error;
  }
}

async function initialize({ name, version }: AgentProcessOptions, request: Requests): Promise<InitializeResponse> {
  const answer: unknown = await request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // Files and commands are the agent's own business: it has tools for them, and our permissions are asked.
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { notices: {}, configOptions: { boolean: {} } },
    },
    clientInfo: { name: "hawser", title: "Hawser", version },
  });
  if (!isRecord(answer) || typeof answer["protocolVersion"] !== "number") throw notAcp(name, methods.agent.initialize);
  const { protocolVersion } = answer;
  if (protocolVersion === PROTOCOL_VERSION) return { ...answer, protocolVersion, ...toKnown(answer) };
  const spoken = `version ${protocolVersion} of ACP, and Hawser version ${PROTOCOL_VERSION}`;
  throw new HawserError("start_failed", `${name} speaks ${spoken}; install a version of it that fits`);
}

/** The members that are looked into; one that has not ACP's shape counts as not told. */
const toKnown = ({ agentCapabilities, agentInfo, authMethods }: Record<string, unknown>): Partial<InitializeResponse> => ({
  agentCapabilities: isRecord(agentCapabilities) ? agentCapabilities : {},
  agentInfo: isImplementation(agentInfo) ? agentInfo : null,
  authMethods: Array.isArray(authMethods) ? authMethods.slice(0, acpLimits.acpOptionEntries).filter(isAuthMethod) : [],
});

const isImplementation = (value: unknown): value is Implementation => isRecord(value) && typeof value["name"] === "string";

const isAuthMethod = (value: unknown): value is AuthMethod =>
  isRecord(value) && typeof value["name"] === "string" && (value["args"] === undefined || isTexts(value["args"]));

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");

export const notAcp = (name: string, method: string): HawserError =>
  new HawserError("model_failed", `${name} answers ${method} with something else than ACP has; install a version of it that fits`);
