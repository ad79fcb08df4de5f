// `help`: explains a command by its words, `help config profile` as well as `config help profile`. Commander's own
// answers a name that it does not know with the whole page and no word about the name.

import type { Command } from "commander";

/** For a command that has others below it. */
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
    const { commands } = current;
    const next = commands.find((command) => command.name() === word);
    if (!next) current.error(`error: unknown command '${word}'; there are: ${visibleNames(current)}`);
    else current = next;
  }
  return current;
}

const visibleNames = (command: Command): string =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name())
    .join(", ");
