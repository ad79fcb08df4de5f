// `/options`: what can be chosen about the agent that answers, and choosing it.

import { HawserError, type OptionEntry } from "@hawser/protocol";
import { fitLine, paint } from "../command-line/output.ts";
import type { Session } from "./conversation-loop.ts";

const maxNameChars = 100;
const maxNoteChars = 200;

/** Without an argument it lists; with an option and a value it sets. */
export async function runOptions({ agent, conversationId, model }: Session, argument: string): Promise<string> {
  const options = await agent.listOptions(conversationId, model);
  if (argument === "") return showOptions(options);
  const [optionId = "", ...words] = argument.split(" ");
  const option = options.find((each) => each.optionId === optionId);
  if (!option) throw new HawserError("usage", `there is no option ${optionId}; /options lists them`);
  const value = toValue(option, words.join(" "));
  return showOptions(await agent.setOption(conversationId, { optionId, value, ...(model !== undefined && { model }) }));
}

const switches: Readonly<Record<string, boolean>> = { on: true, true: true, off: false, false: false };

function toValue({ optionId, values }: OptionEntry, word: string): string | boolean {
  if (values) {
    const chosen = values.find(({ value }) => value === word) ?? values.find(({ name }) => name.toLowerCase() === word.toLowerCase());
    if (chosen) return chosen.value;
    throw new HawserError("usage", `${optionId} can be: ${values.map(({ value }) => value).join(", ")}`);
  }
  const isOn = Object.hasOwn(switches, word) ? switches[word] : undefined;
  if (isOn === undefined) throw new HawserError("usage", `${optionId} can be on or off`);
  return isOn;
}

function showOptions(options: readonly OptionEntry[]): string {
  if (options.length === 0) return paint("dim", "There is nothing to choose about what answers here.\n");
  return `${options.map(showOption).join("")}${paint("dim", "  To choose: /options <name> <value>\n")}`;
}

function showOption({ optionId, name, description, value, values }: OptionEntry): string {
  const note = description === undefined ? "" : `: ${description}`;
  const head = `  ${paint("bold", fitLine(optionId, maxNameChars))}  ${paint("dim", fitLine(`${name}${note}`, maxNoteChars))}\n`;
  const all = values ?? [
    { value: "on", name: "" },
    { value: "off", name: "" },
  ];
  const now = typeof value === "boolean" ? (value ? "on" : "off") : value;
  const rows = all.map((each) => {
    const mark = each.value === now ? paint("green", "*") : " ";
    const meaning = "description" in each && each.description !== undefined ? `${each.name}: ${each.description}` : each.name;
    return `    ${mark} ${fitLine(each.value, maxNameChars)}  ${paint("dim", fitLine(meaning, maxNoteChars))}\n`;
  });
  return head + rows.join("");
}
