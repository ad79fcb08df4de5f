// `hawser schema`: the commands and their options as JSON, read from the program itself, for programs that drive it.

import { HawserError } from "@hawser/protocol";
import type { Command } from "commander";
import { printAnswer, type OutputFlags } from "../api-target/json-output.ts";
import { toTable } from "../command-line/output.ts";
import { programName, readVersion } from "../command-line/launcher.ts";

export interface SchemaFlags extends Omit<OutputFlags, "json"> {
  readonly command?: string;
}

export const runSchema = (words: readonly string[], flags: SchemaFlags, self: Command): Promise<void> =>
  printAnswer({ ...flags, json: true }, () => {
    if (flags.command !== undefined && words.length > 0) throw new HawserError("usage", "name the command once: --command or arguments");
    const path = (flags.command?.split(/\s+/) ?? words).map((word) => word.trim()).filter(Boolean);
    const root = rootOf(self);
    const command = toSchema(findCommand(root, path), [programName(), ...path].slice(0, -1).join(" "));
    const globalFlags = [...new Set(longFlagsOf(root))].sort();
    return { json: { schemaVersion: 1, version: readVersion(), command, globalFlags, exitCodes }, text: "" };
  });

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

const visibleCommands = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help")
    .toSorted((one, other) => (one.name() < other.name() ? -1 : 1));

function findCommand(root: Command, path: readonly string[]): Command {
  let current = root;
  for (const word of path) {
    const known = visibleCommands(current);
    const next = known.find((command) => command.name().toLowerCase() === word.toLowerCase());
    const names = known.map((command) => command.name()).join(", ") || "none";
    if (!next) throw new HawserError("usage", `unknown command path ${JSON.stringify(path.join(" "))}; there are: ${names}`);
    current = next;
  }
  return current;
}

function toSchema(command: Command, parentPath: string): object {
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

const exitCodes = { auth: 6, denied: 8, interrupted: 130, invalid: 1, network: 7, ok: 0, terminated: 143, usage: 2 } as const;

export const runExitCodes = (flags: OutputFlags): Promise<void> =>
  printAnswer(flags, () => ({ json: { ok: true, exitCodes }, text: toTable(Object.entries(exitCodes)) }));
