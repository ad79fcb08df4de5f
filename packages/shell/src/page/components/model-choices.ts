// The models and agents as a list to choose from: by who makes them, those that can be used first, and for the others what
// would change that, taken from the reason that the runtime gives.

import { isAgentName, reveal, type ModelEntry } from "@hawser/protocol/internal";
import type { Choice, Remedy } from "./picker.tsx";

const makers: Readonly<Record<string, string>> = {
  offline: "On this machine",
  ollama: "On this machine",
  anthropic: "Anthropic",
  openai: "OpenAI",
  "openai-compatible": "OpenAI-compatible server",
  "claude-code": "Claude Code",
};

function groupOf(model: string): string {
  if (isAgentName(model)) return "Agents";
  const prefix = model.split("/", 1)[0] ?? "";
  return Object.hasOwn(makers, prefix) ? (makers[prefix] ?? prefix) : reveal(prefix);
}

/** A command stands at the end of the reason, behind `run:` or `with:`; a key that is not set belongs into the settings, where there are some. */
export function remedyOf(reason: string, hasSettings: boolean): Remedy | undefined {
  const [, command] = /\b(?:run|with): +(\S[^\n]*)$/.exec(reason.trimEnd()) ?? [];
  if (command !== undefined) return { command };
  const [, variable] = /^([A-Z][A-Z0-9_]*) is not set/.exec(reason) ?? [];
  if (variable === undefined) return undefined;
  return hasSettings ? "settings" : { command: `export ${variable}=` };
}

/** Models first, then agents; a model that is chosen and not listed is the first of all. */
export function toChoices(models: readonly ModelEntry[], chosen: string | undefined, hasSettings: boolean): readonly Choice[] {
  const isListed = chosen === undefined || models.some(({ model }) => model === chosen);
  const all: readonly Omit<ModelEntry, "current">[] = isListed ? models : [{ model: chosen, available: true }, ...models];
  const choices = all.map(({ model, available, reason = "Not available." }): Choice => ({
    value: model,
    name: model,
    isAvailable: available,
    group: groupOf(model),
    ...(!available && { note: reason, remedy: remedyOf(reason, hasSettings) }),
  }));
  const groups = [...Map.groupBy(choices, ({ group }) => group).values()].map((members) =>
    members.toSorted((one, other) => Number(other.isAvailable) - Number(one.isAvailable)),
  );
  return groups.toSorted((one, other) => rankOf(one) - rankOf(other)).flat();
}

/** Groups with something to choose come first, and agents behind models. */
const rankOf = (members: readonly Choice[]): number =>
  (members[0]?.isAvailable === true ? 0 : 2) + (isAgentName(members[0]?.value ?? "") ? 1 : 0);
