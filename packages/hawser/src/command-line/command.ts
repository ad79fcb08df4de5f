// What every command's declaration is made of: help with examples, numbers within bounds, options that may be repeated, and
// the exit code of a mistake in the arguments. `command.ts` of a folder loads `run.ts` when it is run, so help costs little.

import { CommanderError, InvalidArgumentError, type Command } from "commander";
import { commandName } from "./launcher.ts";

export interface CommandHelp {
  /** Its line in the list of commands; without it, the description is that too. */
  readonly summary?: string;
  readonly description: string;
  /** Sections between the options and the examples. */
  readonly notes?: string;
  /** `hawser` at the start of a command becomes what works in the reader's shell. */
  readonly examples: readonly string[];
}

export function addCommand(parent: Command, name: string, help: CommandHelp): Command {
  const command = parent.command(name).description(help.description);
  if (help.summary !== undefined) command.summary(help.summary);
  if (help.notes !== undefined) command.addHelpText("after", help.notes);
  addExamples(command, help.examples);
  return command;
}

export function addExamples(command: Command, lines: readonly string[]): void {
  const name = commandName();
  const shown = lines.map((line) => `  $ ${line.replace(/(?<=^|\| )hawser /, `${name} `)}`);
  command.addHelpText("after", `\nExamples:\n${shown.join("\n")}`);
}

/** Mistakes in the arguments end with this code; help and version stay 0. */
export function exitWith(command: Command, usageExitCode: number): void {
  command.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new CommanderError(usageExitCode, error.code, error.message);
  });
}

/** A whole number within bounds, in plain decimals. */
export function parseWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : -1;
    if (number < min || number > max) throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    return number;
  };
}

export const maxPort = 65_535;

/** An option as it is typed: `batchOutput` is `--batch-output`. */
export const toFlag = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

/**
 * `help` for a command that has others below it: `help config profile` as well as `config help profile`. Commander's
 * own answers an unknown name with the whole page and doesn't mention the name.
 */
export function addHelp(command: Command): void {
  command.helpCommand(false);
  command
    .command("help")
    .summary("explain a command")
    .description("Explains a command.")
    .argument("[words...]", "the command, e.g. call")
    .action((words: string[]) => findCommand(command, words).help());
}

/** Ends with a mistake in the arguments where there is no such command. */
function findCommand(from: Command, words: readonly string[]): Command {
  let current = from;
  for (const word of words) {
    const names = current
      .createHelp()
      .visibleCommands(current)
      .map((command) => command.name());
    current =
      current.commands.find((command) => command.name() === word) ??
      current.error(`error: unknown command '${word}'; there are: ${names.join(", ")}`);
  }
  return current;
}
