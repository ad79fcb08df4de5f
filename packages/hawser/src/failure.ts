// How a command fails: one sentence that says what to do, no stack trace unless HAWSER_DEBUG=stack
// asks for it, and an exit code: 2 for a mistake in the arguments (1 where a contract says so), else what the
// error table says.

import { CommanderError } from "commander";
import { describeThrown, errorTable, HawserError } from "@hawser/wire";
import { isDebugged } from "./debug-topics.ts";
import { commandName, programName } from "./launcher.ts";
import { isOutputError } from "./output-watch.ts";
import { printTo } from "./terminal.ts";

const internalExitCode = 1;

/** Prints what happened, where that has not been done yet, and returns the exit code. */
export function reportFailure(error: unknown): number {
  // Commander has printed its own sentence; help and version are no failures.
  if (error instanceof CommanderError) return error.exitCode;
  if (isOutputError(error)) return toExitCode(error);
  const wantsStack = isDebugged("stack");
  if (wantsStack && error instanceof Error) printTo(process.stderr, `${error.stack}\n`);
  const hint = wantsStack ? "" : "; HAWSER_DEBUG=stack shows where";
  const text = HawserError.isInstance(error)
    ? toAdvice(error)
    : (explainMissingPackage(error) ?? `something unexpected happened: ${describeThrown(error)}${hint}`);
  printTo(process.stderr, `${programName()}: ${text}\n`);
  return toExitCode(error);
}

export const toExitCode = (error: unknown): number => (HawserError.isInstance(error) ? errorTable[error.code].exitCode : internalExitCode);

/** The desktop app carries only what its agent needs; a command that needs more says so. */
function explainMissingPackage(error: unknown): string | undefined {
  if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, name] = /^Cannot find package '([^']+)'/.exec(describeThrown(error)) ?? [];
  return name && `this command needs ${name}, which this installation leaves out; the whole of it comes with: npm install hawser`;
}

/** What happened and, where the error knows it, what to do. */
function toAdvice(error: HawserError): string {
  return nameCommands(joinHint(error.message, hintOf(error)));
}

export function joinHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message;
  return message.endsWith("?") ? `${message} ${hint}` : `${message}; ${hint}`;
}

/** What an error says to do about it, beside its message. */
export function hintOf(error: unknown): string | undefined {
  const hint = HawserError.isInstance(error) ? error.facts["hint"] : undefined;
  return typeof hint === "string" ? hint : undefined;
}

/** Packages below this one write `hawser config set`; here it becomes what works in the reader's shell. */
export const nameCommands = (text: string): string => text.replaceAll(/(?<=^|[:;?] )hawser (?=[a-z])/g, `${commandName()} `);

/** Commander's error text as one line: `error: … \n(Did you mean …?)` becomes `hawser: … (Did you mean …?)`. */
export const toSentence = (text: string): string =>
  `${programName()}: ${text
    .trim()
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ")}\n`;
