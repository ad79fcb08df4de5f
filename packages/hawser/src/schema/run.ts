// `hawser schema`: the commands and their options as JSON, for programs that drive this one. Read from
// the program itself, so that it can't be out of date.

import { HawserError } from "@hawser/protocol";
import type { Command } from "commander";
import { checkOutput, printJson, reportAsJson, type OutputFlags } from "../api-target/json-output.ts";
import { printTo } from "../command-line/output.ts";
import { programName, readVersion } from "../launcher.ts";

export interface SchemaFlags extends Omit<OutputFlags, "json"> {
  readonly command?: string;
}

interface CommandSchema {
  readonly name: string;
  readonly path: string;
  readonly summary?: string;
  readonly arguments?: readonly string[];
  readonly options?: readonly { readonly flags: string; readonly description: string }[];
  readonly subcommands?: readonly CommandSchema[];
}

export const runSchema = (words: readonly string[], flags: SchemaFlags, self: Command): Promise<void> => {
  const shown: OutputFlags = { ...flags, json: true };
  return reportAsJson(shown, () => {
    const output = checkOutput(shown);
    if (flags.command !== undefined && words.length > 0) throw new HawserError("usage", "name the command once: --command or arguments");
    const path = (flags.command?.split(/\s+/) ?? words).map((word) => word.trim()).filter(Boolean);
    const root = rootOf(self);
    const command = toSchema(findCommand(root, path), [programName(), ...path].slice(0, -1).join(" "));
    const globalFlags = [...new Set(longFlagsOf(root))].sort();
    printJson({ schemaVersion: 1, version: readVersion(), command, globalFlags, exitCodes }, output);
  });
};

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

const visibleCommands = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help")
    .toSorted((one, other) => (one.name() < other.name() ? -1 : 1));

const namesOf = (command: Command): string =>
  visibleCommands(command)
    .map((one) => one.name())
    .join(", ") || "none";

function findCommand(root: Command, path: readonly string[]): Command {
  let current = root;
  for (const word of path) {
    const next = visibleCommands(current).find((command) => command.name().toLowerCase() === word.toLowerCase());
    if (!next) throw new HawserError("usage", `unknown command path ${JSON.stringify(path.join(" "))}; there are: ${namesOf(current)}`);
    current = next;
  }
  return current;
}

function toSchema(command: Command, parentPath: string): CommandSchema {
  const name = command.parent ? command.name() : programName();
  const path = command.parent ? `${parentPath} ${name}` : name;
  const summary = command.summary() || command.description();
  const options = command.options.filter(({ hidden }) => !hidden).map(({ flags, description }) => ({ flags, description }));
  const subcommands = visibleCommands(command).map((one) => toSchema(one, path));
  return {
    name,
    ...(summary !== "" && { summary }),
    path,
    ...(command.registeredArguments.length > 0 && { arguments: command.registeredArguments.map((argument) => argument.name()) }),
    ...(options.length > 0 && { options }),
    ...(subcommands.length > 0 && { subcommands }),
  };
}

function longFlagsOf(command: Command): string[] {
  const own = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  return [...own, ...visibleCommands(command).flatMap(longFlagsOf)];
}

export const exitCodes = { auth: 6, denied: 8, interrupted: 130, invalid: 1, network: 7, ok: 0, terminated: 143, usage: 2 } as const;

export const runExitCodes = (flags: OutputFlags): Promise<void> =>
  reportAsJson(flags, () => {
    const output = checkOutput(flags);
    if (flags.json) return printJson({ ok: true, exitCodes }, output);
    const lines = Object.entries(exitCodes).map(([name, code]) => `${name}\t${code}\n`);
    printTo(process.stdout, lines.join(""));
  });
