// How a command fails: one sentence that says what to do, no stack trace unless HAWSER_DEBUG=stack asks for it, and an exit
// code: 2 for a mistake in the arguments (1 where a contract says so), else what the error table says.

import { describeThrown, errorTable, HawserError, isRecord } from "@hawser/protocol/internal";
import { CommanderError } from "commander";
import { commandName, programName } from "./launcher.ts";
import { fitLine, isOutputError, printTo } from "./output.ts";

const internalExitCode = 1;

/** Prints what happened, where that has not been done yet, and returns the exit code. */
export function reportFailure(error: unknown): number {
  // Commander has printed its own sentence; help and version aren't failures.
  if (error instanceof CommanderError) return error.exitCode;
  if (isOutputError(error)) return toExitCode(error);
  const wantsStack = askedTopics().includes("stack");
  if (wantsStack && error instanceof Error) printTo(process.stderr, `${error.stack}\n`);
  const hint = wantsStack ? "" : "; HAWSER_DEBUG=stack shows where";
  const text = HawserError.isInstance(error)
    ? joinHint(toAdvice(error.message, error.facts))
    : `something unexpected happened: ${describeThrown(error)}${hint}`;
  printTo(process.stderr, `${programName()}: ${text}\n`);
  return toExitCode(error);
}

export const toExitCode = (error: unknown): number => (HawserError.isInstance(error) ? errorTable[error.code].exitCode : internalExitCode);

/** What the system says about a file or an address that can't be used, in plain words. */
export function describeSystemError(error: unknown): string {
  const { code = "" } = (error ?? {}) as NodeJS.ErrnoException;
  return systemReasons[code] ?? describeThrown(error);
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you have no permission to use it",
  EPERM: "you have no permission to use it",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  ECONNREFUSED: "nothing is listening there",
  ENOTFOUND: "there is no such host",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
};

export interface Advice {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * What happened and, where the error knows it, what to do. The call core names members of an item, which its other callers
 * know, and carries the words of the command line beside them (`asFlags`).
 */
export function toAdvice(message: string, { hint, asFlags }: { readonly hint?: unknown; readonly asFlags?: unknown }): Advice {
  const words = isRecord(asFlags) ? { message, ...asFlags } : { message, hint };
  return { message: nameCommands(words.message), hint: typeof words.hint === "string" ? nameCommands(words.hint) : undefined };
}

export function joinHint({ message, hint }: Advice): string {
  if (hint === undefined) return message;
  return message.endsWith("?") ? `${message} ${hint}` : `${message}; ${hint}`;
}

/** Packages below this one write `hawser config set`; here it becomes what works in the reader's shell. */
const nameCommands = (text: string): string => text.replaceAll(/(?<=^|[:;?] )hawser (?=[a-z])/g, `${commandName()} `);

/** Commander's error text as one line in our words: `error: … \n(Did you mean …?)` becomes `hawser: … (Did you mean …?)`. */
export function toSentence(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ");
  return `${programName()}: ${plainForms.reduce((plain, [form, words]) => plain.replace(form, words), line)}\n`;
}

const plainForms: readonly (readonly [form: RegExp, words: string])[] = [
  [/^missing required argument '(.+)'$/, "give <$1>"],
  [/^option '(--\S+).*' argument missing$/, "$1 needs a value"],
  [/^option '(--\S+)[^']*' argument '(.*)' is invalid\. /, "$1 can't be '$2': "],
  [/^command-argument value '(.*)' is invalid for argument '(.+)'\. /, "<$2> can't be '$1': "],
  [/^option '(--[^ ']+)[^']*' cannot be used with option '(--[^ ']+)[^']*'$/, "$1 can't be used together with $2"],
  // The usual slip: `call listTags`.
  [/^too many arguments for 'call'\..*$/, "too many words: name an operation with --op <id>, or a path with --path <path>"],
  // The other one: `shell ~/project`.
  [/^too many arguments for '(?:shell|agent|acp)'\..*$/, "too many words: a folder to work in is given with --root <folder>"],
  [
    /^too many arguments(?: for '.*')?\. Expected (\d+) arguments? but got (\d+).*$/,
    "too many words: this command takes $1, and there are $2",
  ],
];

/** `protocol`: every message of our protocols, `protocol-full`: however long (the wire reads both itself). `stack`: where a failure came from. */
const topics = ["protocol", "protocol-full", "stack"];

const askedTopics = (): string[] => (process.env["HAWSER_DEBUG"] ?? "").split(",");

/** One line on stderr, if there is something to say. */
export function warnOfUnknownTopics(): void {
  const unknown = askedTopics().filter((topic) => topic !== "" && !topics.includes(topic));
  if (unknown.length === 0) return;
  const shown = fitLine(JSON.stringify(unknown.join(",")), 80);
  printTo(process.stderr, `${programName()}: HAWSER_DEBUG: ${shown} means nothing; there are: ${topics.join(", ")}\n`);
}
