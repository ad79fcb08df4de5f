// The questions of an agent with tools of its own. The policy decides about them as about our own calls, under the name
// `<agent>__<kind>`; where the agent asks about one of our tools, which it reaches through the bridge, under that tool's
// own name, and the answer counts for the call itself, once. The agent is answered with one of the options it offers.

import { HawserError, type PermissionOption } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";
import type { Tool } from "@hawser/tools";
import type { AgentQuestion, TurnAgent } from "../model/turn-agent.ts";
import type { Outcome, ToolCall } from "../permissions/policy.ts";
import { fittingDiffs, toShownAbout, toShownInput, type AgentRecord } from "./agent-record.ts";
import type { Permit } from "../tools/files/permit.ts";
import { previewOf } from "../tools/files/preview.ts";
import { authorize, DeniedError, type Authority } from "./authorize.ts";
import type { TurnScope } from "./tool-runner.ts";

export interface AgentAsking {
  readonly agent: TurnAgent;
  readonly authority: Authority;
  readonly record: AgentRecord;
  readonly scope: TurnScope;
  readonly tools: readonly Tool[];
  /** The user has allowed this call of one of our tools, which is still to come. */
  keepAnswer(call: ToolCall, outcome: Outcome): void;
}

/** The option that says what was decided; undefined when there is none. Rejects when the turn is over. */
export async function askForAgent(question: AgentQuestion, asking: AgentAsking): Promise<string | undefined> {
  const { record, scope, authority } = asking;
  const use = record.openUse(question.toolId);
  if (!use) throw new HawserError("internal", "a question about a use that was not announced");
  const { options } = question;
  const call = toCall(question, use.toolId, asking);
  const diffs = fittingDiffs(question.diffs);
  const about = { toolName: use.toolName, ...toShownAbout(question), ...(diffs.length > 0 && { diffs }), options };
  const tool = question.own && asking.tools.find(({ name }) => name === call.toolName);
  const args = isRecord(call.input) ? call.input : {};
  const shown = { ...about, ...(tool && { preview: (permit: Permit | undefined) => previewOf(tool, args, permit, scope.signal) }) };
  try {
    const { answer } = await authorize(authority, call, scope, shown);
    if (answer && question.own) asking.keepAnswer(call, answer);
    return pickOption(options, answer ?? { decision: "allow" });
  } catch (error) {
    if (!(error instanceof DeniedError)) throw error;
    return pickOption(options, error.answer ?? { decision: "deny" });
  }
}

function toCall(
  { kind, title = "", input, locations = [], diffs = [], own }: AgentQuestion,
  toolId: string,
  asking: AgentAsking,
): ToolCall {
  const { conversationId } = asking.scope;
  if (own) {
    const isReadOnly = asking.tools.some(({ name, annotations }) => name === own.toolName && annotations?.readOnlyHint === true);
    return { conversationId, toolId, toolName: own.toolName, input: own.input, isReadOnly };
  }
  const { name } = asking.agent;
  const paths = [...locations, ...diffs].map(({ path }) => path);
  return {
    conversationId,
    toolId,
    toolName: `${name.slice(name.indexOf("/") + 1)}__${kind}`,
    input: toShownInput(input),
    isReadOnly: false,
    agent: { name, kind, title, paths: [...paths, ...pathsIn(input)] },
  };
}

/** As the well-known agents call the file in their arguments. */
const pathMembers = ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "notebook_path"];

function pathsIn(input: unknown): string[] {
  if (!isRecord(input)) return [];
  return pathMembers.flatMap((member) => (Object.hasOwn(input, member) && typeof input[member] === "string" ? [input[member]] : []));
}

/** What makes two calls the same: the tool and its arguments, whatever the order of their names. */
export const keyOf = ({ toolName, input }: Pick<ToolCall, "toolName" | "input">): string => JSON.stringify([toolName, sorted(input)]);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}

type Kind = PermissionOption["kind"];

/** In order of preference. `allow` never becomes "always", which the user did not say; a refusal may. */
const fitting: Readonly<Record<Outcome["decision"], readonly Kind[]>> = {
  allow: ["allow_once"],
  allow_always: ["allow_always", "allow_once"],
  deny: ["reject_once", "reject_always"],
};

function pickOption(
  options: readonly PermissionOption[],
  { decision, optionId }: Pick<Outcome, "decision" | "optionId">,
): string | undefined {
  if (optionId !== undefined) return optionId;
  const first = (kinds: readonly Kind[]): string | undefined =>
    kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)?.optionId;
  // An agent that can only be allowed for ever is refused, if that is possible.
  return first(fitting[decision]) ?? first(fitting.deny);
}
