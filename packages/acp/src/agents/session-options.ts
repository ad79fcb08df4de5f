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

export function readOptions(answer: unknown): SessionOptions {
  const { configOptions, modes } = isRecord(answer) ? answer : {};
  return {
    configOptions: Array.isArray(configOptions) ? (configOptions as SessionConfigOption[]) : [],
    modes: isRecord(modes) && Array.isArray(modes["availableModes"]) ? (modes as unknown as SessionModeState) : undefined,
  };
}

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

const toDescription = (description: string | null | undefined) => (description ? { description } : {});

function toEntry(option: SessionConfigOption): OptionEntry[] {
  const { id, name, description, category } = option;
  const about = { optionId: id, name, ...toDescription(description), ...(category && { category }) };
  if (option.type === "boolean") return [{ ...about, value: option.currentValue }];
  if (option.type !== "select") return [];
  const values = option.options
    .flatMap((each) => ("options" in each ? each.options : [each]))
    .slice(0, acpLimits.acpOptionEntries)
    .map((each) => ({ value: each.value, name: each.name, ...toDescription(each.description) }));
  return [{ ...about, value: option.currentValue, values }];
}
