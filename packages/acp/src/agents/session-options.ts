// What can be chosen about an agent: its config options, and its modes where no config option stands for them.

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { isRecord, type OptionEntry } from "@hawser/protocol/internal";
import { acpLimits } from "../limits.ts";

/** As the answers of `session/new`, `load` and `resume` have them, and updates change them. */
export interface SessionOptions {
  configOptions: readonly SessionConfigOption[];
  modes: SessionModeState | undefined;
}

export const modeOption = "mode";

/** What does not have the shape of an option is left out: updates come as the agent writes them. */
export function readOptions(answer: unknown): SessionOptions {
  const { configOptions, modes } = isRecord(answer) ? answer : {};
  return { configOptions: listOf(configOptions).filter(isOption), modes: isModes(modes) ? modes : undefined };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, acpLimits.acpOptionEntries) : []);

const isNamed = (value: unknown, id: string): value is Record<string, unknown> =>
  isRecord(value) && typeof value[id] === "string" && typeof value["name"] === "string";

function isOption(value: unknown): value is SessionConfigOption {
  if (!isNamed(value, "id")) return false;
  const { type, currentValue, options } = value;
  if (type === "boolean") return typeof currentValue === "boolean";
  if (type !== "select" || typeof currentValue !== "string" || !Array.isArray(options)) return false;
  return options
    .flatMap((each: unknown) => (isRecord(each) && Array.isArray(each["options"]) ? (each["options"] as unknown[]) : [each]))
    .every((each) => isNamed(each, "value"));
}

const isModes = (value: unknown): value is SessionModeState & Record<string, unknown> =>
  isRecord(value) &&
  typeof value["currentModeId"] === "string" &&
  Array.isArray(value["availableModes"]) &&
  value["availableModes"].every((mode) => isNamed(mode, "id"));

/** Whether the modes are an option of their own. */
export const hasModeOption = ({ configOptions, modes }: SessionOptions): boolean =>
  modes !== undefined && !configOptions.some(({ id, category }) => category === "mode" || id === modeOption);

export function toOptionEntries(options: SessionOptions): OptionEntry[] {
  const entries = options.configOptions.slice(0, acpLimits.acpOptionEntries).flatMap(toEntry);
  const { modes } = options;
  if (!modes || !hasModeOption(options)) return entries;
  const values = modes.availableModes.slice(0, acpLimits.acpOptionEntries).map(({ id, name, description }) => ({
    value: id,
    name,
    ...toDescription(description),
  }));
  return [...entries, { optionId: modeOption, name: "Mode", category: "mode", value: modes.currentModeId, values }];
}

const toDescription = (description: unknown) => (typeof description === "string" && description !== "" ? { description } : {});

function toEntry(option: SessionConfigOption): OptionEntry[] {
  const { id, name, description, category } = option;
  const about = { optionId: id, name, ...toDescription(description), ...(typeof category === "string" && { category }) };
  if (option.type === "boolean") return [{ ...about, value: option.currentValue }];
  if (option.type !== "select") return [];
  const values = option.options
    .flatMap((each) => ("options" in each ? each.options : [each]))
    .slice(0, acpLimits.acpOptionEntries)
    .map((each) => ({ value: each.value, name: each.name, ...toDescription(each.description) }));
  return [{ ...about, value: option.currentValue, values }];
}
