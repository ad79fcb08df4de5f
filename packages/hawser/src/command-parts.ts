// What every command's definition is made of: examples below the help, numbers within bounds, options that
// may be repeated, and the exit code of a mistake in the arguments.

import { CommanderError, InvalidArgumentError, type Command } from "commander";
import { commandName } from "./launcher.ts";

/** Examples below the help; `hawser` at the start of a command becomes what works in the reader's shell. */
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

/** An option that may be given several times. */
export const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];
