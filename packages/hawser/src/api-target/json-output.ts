// How the gateway's commands print: JSON for programs (whole, selected, raw or compact), text for people, and a failure as
// `{ok:false, code, error, details?}` on stdout where JSON was asked for. With `--raw` stdout holds the bare value or nothing.

import { describeThrown, HawserError } from "@hawser/protocol";
import { isKeptNumber, keepNumbers } from "@hawser/wire/internal";
import { CommanderError } from "commander";
import { toAdvice, toExitCode } from "../command-line/failure.ts";
import { isOutputError, printTo } from "../command-line/output.ts";

export interface OutputFlags {
  readonly json?: true;
  readonly select?: readonly string[];
  readonly raw?: true;
  readonly compact?: true;
  readonly timing?: true;
  readonly jsonStats?: true;
}

export interface Answer {
  readonly json: object;
  readonly text: string;
  /** Beside how long it took, where timing was asked for: in the JSON, else on stderr. */
  readonly stats?: object;
  /** A line for stderr. */
  readonly note?: string | undefined;
}

/** Runs a command and prints its answer, or its failure, as the flags want it. */
export const printAnswer = (flags: OutputFlags, run: () => Promise<Answer> | Answer): Promise<void> =>
  reportAsJson(flags, async () => {
    checkOutput(flags);
    const startedAt = performance.now();
    const { json, text, stats: more, note } = await run();
    const stats = { elapsedMs: Math.round(performance.now() - startedAt), ...more };
    if (flags.json) printJson(wantsStats(flags) ? { ...json, stats } : json, flags);
    else printTo(process.stdout, text);
    if (note !== undefined) printTo(process.stderr, `${note}\n`);
    if (flags.timing && !flags.json) printTo(process.stderr, toTimingLine(stats));
  });

/** One line of fields with tabs between them. */
export function toTimingLine(stats: object): string {
  const fields = Object.entries(stats).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`);
  return `${["timing", ...fields].join("\t")}\n`;
}

export const wantsStats = ({ timing, jsonStats }: OutputFlags): boolean => (timing ?? jsonStats) === true;

/** Throws `usage` for flags that need another one, or exclude each other. */
export function checkOutput({ json, select, raw, compact }: OutputFlags): void {
  const selectors = parseSelectors(select);
  const needsJson = compact ? "--compact" : raw ? "--raw" : selectors.length > 0 ? "--select" : undefined;
  if (needsJson !== undefined && !json) throw new HawserError("usage", `required: --json when using ${needsJson}`);
  if (raw && selectors.length !== 1) throw new HawserError("usage", "required: exactly one --select when using --raw");
  if (raw && compact) throw new HawserError("usage", "--raw can't be used with --compact");
}

/** Prints the value, or what was selected of it. */
export function printJson(value: object, { select, raw, compact }: OutputFlags): void {
  const selected = parseSelectors(select).map((path) => [path, selectPath(value, path)] as const);
  const [first] = selected;
  const shown = first ? (raw ? first[1] : Object.fromEntries(selected)) : value;
  const text = raw && typeof shown === "string" ? shown : JSON.stringify(shown, null, raw || compact ? 0 : 2);
  printTo(process.stdout, `${text}\n`);
}

/** Runs a command; where JSON was asked for, what it throws is printed as such and becomes the exit code. */
export async function reportAsJson(flags: OutputFlags, run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!flags.json || flags.raw || error instanceof CommanderError || isOutputError(error)) throw error;
    const code = (process.exitCode = toExitCode(error));
    const { message, hint } = toAdvice(describeThrown(error), HawserError.isInstance(error) ? error.facts : {});
    printJson({ ok: false, code, error: message, ...(hint !== undefined && { details: { hint } }) }, { ...flags, select: [] });
  }
}

/** Trimmed, without repetitions. Throws `usage` for what can't be a path. */
function parseSelectors(given: readonly string[] = []): string[] {
  const selectors = given.map((selector) => selector.trim());
  if (selectors.includes("")) throw new HawserError("usage", "invalid --select value: empty selector");
  const listed = selectors.find((selector) => selector.includes(","));
  if (listed !== undefined)
    throw new HawserError("usage", `invalid --select value ${JSON.stringify(listed)}: repeat --select instead of writing commas`);
  return [...new Set(selectors)];
}

function selectPath(value: unknown, path: string): unknown {
  let current = value;
  const keys = path.split(".");
  for (const [at, key] of keys.entries()) {
    if (typeof current === "string" && keys.slice(0, at).join(".") === "response.body") current = openBody(current, path);
    // An array's `length` isn't an element.
    const isLength = Array.isArray(current) && key === "length";
    if (!isContainer(current) || isLength || !Object.hasOwn(current, key)) throw noSuchPath(path, key, current);
    current = (current as Readonly<Record<string, unknown>>)[key];
  }
  return current;
}

function openBody(body: string, path: string): unknown {
  try {
    return keepNumbers(JSON.parse(body), body);
  } catch {
    throw new HawserError("usage", `invalid --select path ${JSON.stringify(path)}: the response's body is not JSON, or was cut off`);
  }
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null && !isKeptNumber(value);

function noSuchPath(path: string, key: string, at: unknown): HawserError {
  const reason = Array.isArray(at)
    ? `index ${JSON.stringify(key)} is not in an array of ${at.length}`
    : isContainer(at)
      ? `key ${JSON.stringify(key)} not found; there are: ${Object.keys(at).slice(0, 20).join(", ") || "none"}`
      : `nothing lies below ${JSON.stringify(at)}, so there is no ${JSON.stringify(key)}`;
  return new HawserError("usage", `invalid --select path ${JSON.stringify(path)}: ${reason}`);
}
