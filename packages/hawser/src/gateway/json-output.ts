// How the gateway's commands print: JSON for programs (whole, selected, raw or compact), text for
// people, and a failure as `{ok:false, code, error, details?}` on stdout where JSON was asked for.

import { CommanderError } from "commander";
import { describeThrown, HawserError } from "@hawser/wire";
import { hintOf, nameCommands, toExitCode } from "../failure.ts";
import { isOutputError } from "../output-watch.ts";
import { printTo } from "../terminal.ts";
import { parseSelectors, selectPath, toRawText } from "./select-path.ts";

export interface OutputFlags {
  readonly json?: true;
  readonly select?: readonly string[];
  readonly raw?: true;
  readonly compact?: true;
  readonly timing?: true;
  readonly jsonStats?: true;
}

export interface JsonOutput {
  readonly selectors: readonly string[];
  readonly raw: boolean;
  readonly compact: boolean;
  /** How long it took belongs into the JSON. */
  readonly includeStats: boolean;
}

/** Throws `usage` for flags that need another one, or exclude each other. */
export function checkOutput({ json, select = [], raw, compact, timing, jsonStats }: OutputFlags): JsonOutput {
  const selectors = parseSelectors(select);
  const needsJson = compact ? "--compact" : raw ? "--raw" : selectors.length > 0 ? "--select" : undefined;
  if (needsJson !== undefined && !json) throw new HawserError("usage", `required: --json when using ${needsJson}`);
  if (raw && selectors.length !== 1) throw new HawserError("usage", "required: exactly one --select when using --raw");
  if (raw && compact) throw new HawserError("usage", "--raw can't be used with --compact");
  return { selectors, raw: raw === true, compact: compact === true, includeStats: (timing ?? jsonStats) === true };
}

/** Prints the value, or what was selected of it. */
export function printJson(value: object, { selectors, raw, compact }: JsonOutput): void {
  const [first] = selectors;
  if (first === undefined) return print(toJson(value, compact));
  if (raw) return print(toRawText(selectPath(value, first)));
  print(toJson(Object.fromEntries(selectors.map((selector) => [selector, selectPath(value, selector)])), compact));
}

export const toJson = (value: unknown, compact: boolean): string => JSON.stringify(value, null, compact ? 0 : 2);

const print = (line: string): void => printTo(process.stdout, `${line}\n`);

/** Runs a command; where JSON was asked for, what it throws is printed as such and becomes the exit code. */
export async function reportAsJson(flags: OutputFlags, run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!flags.json || error instanceof CommanderError || isOutputError(error)) throw error;
    const code = (process.exitCode = toExitCode(error));
    const hint = hintOf(error);
    const details = hint === undefined ? {} : { details: { hint: nameCommands(hint) } };
    print(toJson({ ok: false, code, error: nameCommands(describeThrown(error)), ...details }, flags.compact === true));
  }
}
