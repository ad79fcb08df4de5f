// The agent of one conversation: its process, its session, the bridge to our tools, and the turn that runs in it. It is started
// when it is needed, kept between turns, and ends at once and whole. A turn that is cancelled ends for its user at once; the
// agent gets a moment to end it too, and the next turn waits for that.

import { methods, type RequestPermissionRequest, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentPlace, DelegatedTurn } from "@hawser/agent";
import { HawserError, isRecord, quoteShort, type OptionEntry } from "@hawser/protocol/internal";
import { isSettledWithin, untilAborted } from "@hawser/wire/internal";
import { startAgentProcess, type AgentProcess } from "../connection/agent-process.ts";
import { acpLimits } from "../limits.ts";
import { checkStop, toAgentError } from "./agent-errors.ts";
import { openSession, type AgentSession } from "./agent-session.ts";
import type { AgentDefinition } from "./known-agents.ts";
import { offerTools, type OwnTools } from "./own-tools.ts";
import { toPrompt } from "./prompt.ts";
import { hasModeOption, modeOption, readOptions, toOptionEntries } from "./session-options.ts";
import { createUpdateReader, toUsedTokens } from "./to-agent-events.ts";
import { createToolUses } from "./tool-uses.ts";

export interface LiveAgentOptions {
  readonly agent: AgentDefinition;
  readonly env: NodeJS.ProcessEnv;
  /** Ours, for the agent to know. */
  readonly version: string;
}

export type LiveAgent = ReturnType<typeof createLiveAgent>;

interface RunningTurn {
  readonly turn: DelegatedTurn;
  readonly sessionId: string;
  readonly uses: ReturnType<typeof createToolUses>;
  read(update: Readonly<Record<string, unknown>>): Promise<void>;
  /** What ended it from within: a limit, the history. */
  fail(error: unknown): void;
  /** One of its questions was answered with no: some agents end their turn then. */
  wasRefused: boolean;
}

interface Prepared {
  readonly connected: AgentProcess;
  readonly opened: AgentSession;
}

const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

export function createLiveAgent({ agent, env, version }: LiveAgentOptions) {
  const { name } = agent;
  let starting: Promise<AgentProcess> | undefined;
  let process: AgentProcess | undefined;
  let session: AgentSession | undefined;
  let offering: Promise<OwnTools> | undefined;
  let ownTools: OwnTools | undefined;
  let running: RunningTurn | undefined;
  let openQuestions = 0;
  /** The end of a cancelled turn. */
  let settling: Promise<void> = Promise.resolve();
  let preparing: Promise<unknown> = Promise.resolve();

  async function onUpdate(params: unknown): Promise<void> {
    const update = isRecord(params) ? params["update"] : undefined;
    if (!isRecord(params) || !isRecord(update)) return;
    if (session && params["sessionId"] === session.sessionId) noteOptions(session, update);
    if (!running || params["sessionId"] !== running.sessionId) return;
    const { read, fail } = running;
    await read(update).catch(fail);
  }

  async function onPermission(
    { sessionId, toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const current = running;
    if (!current || sessionId !== current.sessionId || openQuestions >= acpLimits.acpQuestionEntries) return cancelled;
    openQuestions++;
    try {
      const use = await current.uses.ask(toolCall);
      if (!use) return cancelled;
      const { toolId, title, kind, input, locations, diffs } = use;
      const question = {
        toolId,
        title,
        kind,
        input: input ?? {},
        locations,
        diffs,
        options: options.slice(0, acpLimits.acpOptionEntries).map(toOption),
        own: ownTools?.match(use),
      };
      const optionId = await untilAborted(signal, current.turn.ask(question));
      if (optionId === undefined || current.turn.signal.aborted) return cancelled;
      current.wasRefused ||= options.some((option) => option.optionId === optionId && option.kind.startsWith("reject"));
      return { outcome: { outcome: "selected", optionId } };
    } catch (error) {
      if (!current.turn.signal.aborted && !signal.aborted) current.fail(error);
      return cancelled;
    } finally {
      openQuestions--;
    }
  }

  async function start(place: AgentPlace): Promise<AgentProcess> {
    const cwd = agent.cwd ?? place.folders[0] ?? globalThis.process.cwd();
    const command = { command: agent.command, args: agent.args, cwd, env: { ...withoutOurs(env), ...agent.env } };
    return startAgentProcess({ name, command, version, onUpdate, onPermission });
  }

  function offer({ tools }: AgentPlace): Promise<OwnTools> {
    const offered = (offering ??= offerTools(tools, () => running?.turn));
    offered.catch(() => {
      if (offering === offered) offering = undefined;
    });
    return offered;
  }

  async function connect(place: AgentPlace): Promise<AgentProcess> {
    starting ??= start(place);
    try {
      process = await starting;
      return process;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  }

  /** One after the other: a list of options and a turn at the same time would begin two sessions. */
  function prepare(place: AgentPlace): Promise<Prepared> {
    const prepared = preparing.then(() => open(place));
    preparing = prepared.catch(() => {});
    return prepared;
  }

  async function open(place: AgentPlace): Promise<Prepared> {
    await settling;
    // A process that has ended is forgotten, with its session.
    if (process?.lost.aborted) await end();
    const connecting = connect(place);
    // Beside the agent's own start, which takes longer.
    const offered = offer(place);
    const connected = await connecting.catch(async (error: unknown) => {
      await end();
      throw toAgentError(error, agent);
    });
    try {
      ownTools = await offered;
      const cwd = place.folders[0] ?? globalThis.process.cwd();
      session = await openSession({ name, process: connected, place, cwd, mcpServers: ownTools.servers, current: session });
      return { connected, opened: session };
    } catch (error) {
      throw toAgentError(error, agent, connected.initialized.authMethods);
    }
  }

  async function run(turn: DelegatedTurn): Promise<void> {
    const { connected, opened } = await untilAborted(turn.signal, prepare(turn));
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => {});
    const uses = createToolUses(name, turn.emit);
    const current: RunningTurn = {
      turn,
      sessionId: opened.sessionId,
      uses,
      read: createUpdateReader(turn.emit, uses),
      fail: reject,
      wasRefused: false,
    };
    await turn.keepSession(opened.sessionId);
    turn.signal.throwIfAborted();
    const prompt = toPrompt(turn, connected.initialized.agentCapabilities?.promptCapabilities ?? {}, opened.isKnown);
    opened.isUsed = true;
    running = current;
    const answered = connected.request(methods.agent.session.prompt, { sessionId: opened.sessionId, prompt });
    answered.catch(() => {});
    try {
      const answer = await untilAborted(turn.signal, Promise.race([answered, failed]));
      opened.isKnown = true;
      await uses.end();
      await turn.emit(toUsedTokens(answer));
      checkStop(answer, name, current.wasRefused);
    } catch (error) {
      settling = settle(connected, opened, answered);
      throw toAgentError(error, agent, connected.initialized.authMethods);
    } finally {
      if (running === current) running = undefined;
    }
  }

  /** After a turn that did not end by itself: tells the agent, and ends it when it goes on. */
  async function settle(connected: AgentProcess, { sessionId }: AgentSession, answered: Promise<unknown>): Promise<void> {
    const isOver = answered.then(
      () => true,
      () => true,
    );
    if (await Promise.race([isOver, Promise.resolve(false)])) {
      if (connected.lost.aborted) await end();
      return;
    }
    // Not awaited: an agent that reads nothing any more would hold up the end of it.
    connected.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
    if (!(await isSettledWithin(isOver, acpLimits.acpCancelMs)) || connected.lost.aborted) await end();
    else if (session) session.isKnown = true;
  }

  async function end(): Promise<void> {
    const ended = process ?? (await starting?.catch(() => undefined));
    const bridge = await offering?.catch(() => undefined);
    [starting, process, session, offering, ownTools] = [undefined, undefined, undefined, undefined, undefined];
    await Promise.allSettled([ended?.stop(), bridge?.stop()]);
  }

  async function setOption(place: AgentPlace, optionId: string, value: string | boolean): Promise<readonly OptionEntry[]> {
    const { connected, opened } = await prepare(place);
    const entry = toOptionEntries(opened.options).find((each) => each.optionId === optionId);
    if (!entry) throw new HawserError("invalid_message", `${name} has no option ${quoteShort(optionId, 100)}`);
    const isValue = entry.values ? entry.values.some((each) => each.value === value) : typeof value === "boolean";
    if (!isValue) throw new HawserError("invalid_message", `${quoteShort(optionId, 100)} has no value ${quoteShort(String(value), 100)}`);
    try {
      await connected.inTime("set the option", choose(connected, opened, optionId, value));
    } catch (error) {
      throw toAgentError(error, agent);
    }
    return toOptionEntries(opened.options);
  }

  return {
    run,
    /** Whether the next turn would go on in this session as it is. */
    runs: (sessionId: string | undefined): boolean => session?.sessionId === sessionId && process?.lost.aborted === false,
    /** Of the session that there is: looking at them must not end one whose turn is being written down. */
    async options(place: AgentPlace): Promise<readonly OptionEntry[]> {
      await preparing;
      const known = process?.lost.aborted ? undefined : session;
      return toOptionEntries((known ?? (await prepare(place)).opened).options);
    },
    setOption,
    /** With its process, its session and the bridge. */
    async stop(): Promise<void> {
      await settling;
      await end();
    },
  };
}

async function choose(connected: AgentProcess, opened: AgentSession, optionId: string, value: string | boolean): Promise<void> {
  const { sessionId, options } = opened;
  if (optionId === modeOption && hasModeOption(options) && options.modes) {
    const modeId = String(value);
    await connected.request(methods.agent.session.setMode, { sessionId, modeId });
    opened.options = { ...options, modes: { ...options.modes, currentModeId: modeId } };
    return;
  }
  const chosen = typeof value === "boolean" ? { type: "boolean" as const, value } : { value };
  const answer = await connected.request(methods.agent.session.setConfigOption, { sessionId, configId: optionId, ...chosen });
  opened.options = { ...opened.options, configOptions: readOptions(answer).configOptions };
}

function noteOptions(session: AgentSession, update: Readonly<Record<string, unknown>>): void {
  const { sessionUpdate, currentModeId } = update;
  const { options } = session;
  if (sessionUpdate === "config_option_update") session.options = { ...options, configOptions: readOptions(update).configOptions };
  if (sessionUpdate === "current_mode_update" && options.modes && typeof currentModeId === "string")
    session.options = { ...options, modes: { ...options.modes, currentModeId } };
}

const toOption = ({ optionId, name, kind }: RequestPermissionRequest["options"][number]) => ({ optionId, name, kind });

/** The agent is the user's own program and needs their keys; what is ours, such as the token of an API, is not for it. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:HAWSER|IGNITION)_/.test(name)));
}
