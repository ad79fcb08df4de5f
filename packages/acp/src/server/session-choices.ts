// What an editor can choose about a session: who answers, what happens before something is changed, and what the agent of others that
// answers lets its users choose. The last is known once that agent has been started in the session's folder.

import { RequestError, type SessionConfigOption, type SessionConfigSelect } from "@agentclientprotocol/sdk";
import type { AgentClient } from "@hawser/agent/host/link";
import { describeThrown, isAgentName, quoteShort, type ModelEntry, type OptionEntry } from "@hawser/protocol/internal";
import { logLine } from "@hawser/wire/internal/node";
import { acpLimits } from "../limits.ts";
import { placeWithoutQuestion } from "./session-place.ts";
import type { Session } from "./sessions.ts";

const modes = [
  { value: "ask", name: "Ask", description: "You are asked before something is changed." },
  { value: "deny", name: "Only read", description: "What would change something is denied." },
] as const;

/** Agents of others have ids of their own, `model` and `mode` among them. */
const agentPrefix = "agent:";

/** Those that a session has one option for already: an editor shows one of each in its own place. */
const ownCategories: readonly string[] = ["model", "mode"];

const switchValues = [
  { value: "true", name: "On" },
  { value: "false", name: "Off" },
];

export type SessionChoices = ReturnType<typeof createSessionChoices>;

/** `takesSwitches`: whether the editor knows options that are on or off; others get a list with two entries. */
export function createSessionChoices(client: AgentClient, takesSwitches: () => boolean) {
  /** What can be chosen. What is chosen is among it also when it can't be used: each turn says why then. */
  async function models(): Promise<readonly ModelEntry[]> {
    return (await client.listModels()).filter(({ available, current }) => available || current);
  }

  /** Empty for a model, and as long as the agent can't be started without a question about the folder. */
  async function ofAgent(session: Session): Promise<SessionConfigOption[]> {
    const { answering: model } = session;
    if (!isAgentName(model) || !session.isPlaced) return [];
    try {
      const entries = await client.listOptions(session.sessionId, model);
      return entries.map((entry) => toConfigOption(entry, model, takesSwitches()));
    } catch (error) {
      // The prompt says it to the user; without the agent there is nothing to choose.
      logLine(`[hawser] acp: ${model} tells no options: ${describeThrown(error)}`);
      return [];
    }
  }

  async function list(session: Session): Promise<SessionConfigOption[]> {
    const entries = await models();
    session.answering = session.model ?? entries.find((entry) => entry.current)?.model ?? entries[0]?.model ?? "offline";
    const permissions = {
      id: "permissions",
      name: "Permissions",
      description: "What happens before something is changed.",
      category: "mode",
    };
    const all: SessionConfigOption[] = [
      {
        type: "select",
        id: "model",
        name: "Model",
        category: "model",
        currentValue: session.answering,
        options: entries.slice(0, acpLimits.acpOptionEntries).map((entry) => ({ value: entry.model, name: entry.model })),
      },
      { type: "select", ...permissions, currentValue: session.mode, options: modes.map((each) => ({ ...each })) },
      ...(await ofAgent(session)),
    ];
    session.told = JSON.stringify(all);
    return all;
  }

  /** Of an agent of others, once it is there: what an editor has not been told yet; undefined where nothing has changed. */
  async function changed(session: Session): Promise<SessionConfigOption[] | undefined> {
    if (!isAgentName(session.answering)) return undefined;
    const before = session.told;
    const all = await list(session);
    return session.told === before ? undefined : all;
  }

  async function setOfAgent(session: Session, optionId: string, given: unknown): Promise<void> {
    const { answering: model } = session;
    if (!(await placeWithoutQuestion(client, session)))
      throw new RequestError(-32_603, "send a prompt first: the folder is asked about then");
    const entry = (await client.listOptions(session.sessionId, model)).find((each) => each.optionId === optionId);
    const value = entry && !entry.values && typeof given === "string" ? given === "true" : given;
    if (typeof value !== "string" && typeof value !== "boolean") throw unknownOption(`${agentPrefix}${optionId}`);
    await client.setOption(session.sessionId, { optionId, value, model });
  }

  function setMode(session: Session, mode: string): void {
    const known = modes.find(({ value }) => value === mode);
    if (!known) throw RequestError.invalidParams(undefined, `there is no mode ${quoteShort(mode, 100)}`);
    session.mode = known.value;
  }

  return {
    list,
    changed,
    /** The choices of a session, and the one of permissions once more as modes, for editors that know only those. */
    async all(session: Session) {
      const availableModes = modes.map(({ value: id, name, description }) => ({ id, name, description }));
      return { configOptions: await list(session), modes: { currentModeId: session.mode, availableModes } };
    },
    /** Starts the agent that would answer, where nothing is to be asked: then its options can be told. */
    async prepare(session: Session): Promise<SessionConfigOption[] | undefined> {
      if (!isAgentName(session.answering) || !(await placeWithoutQuestion(client, session))) return undefined;
      return changed(session);
    },
    setMode,
    async set(session: Session, configId: string, value: unknown): Promise<void> {
      if (configId.startsWith(agentPrefix)) return setOfAgent(session, configId.slice(agentPrefix.length), value);
      if (configId === "permissions" && typeof value === "string") return setMode(session, value);
      if (configId !== "model" || !(await models()).some(({ model }) => model === value)) throw unknownOption(configId);
      session.model = value as string;
      if (isAgentName(session.model)) await placeWithoutQuestion(client, session);
    },
  };
}

const unknownOption = (configId: string): RequestError =>
  RequestError.invalidParams(undefined, `there is no option ${quoteShort(configId, 100)} with that value`);

function toConfigOption(entry: OptionEntry, model: string, takesSwitches: boolean): SessionConfigOption {
  const { optionId, name, description, category, value, values } = entry;
  const about = {
    id: `${agentPrefix}${optionId}`,
    name: `${model.slice(model.indexOf("/") + 1)}: ${name}`,
    ...(description !== undefined && { description }),
    ...(category !== undefined && !ownCategories.includes(category) && { category }),
  };
  if (typeof value === "boolean" && takesSwitches) return { type: "boolean", ...about, currentValue: value };
  const options: SessionConfigSelect["options"] = typeof value === "boolean" ? switchValues : (values ?? []).map((each) => ({ ...each }));
  return { type: "select", ...about, currentValue: String(value), options };
}
