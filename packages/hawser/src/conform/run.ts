// `hawser conform`: runs a suite against a command and reports. 0 all passed, 1 some failed, 2 usage, 141 when
// the report was not read to its end.

import {
  formatScenario,
  formatSummary,
  runSuite,
  selectScenarios,
  subjectFor,
  suites,
  toExitCode,
  type ScenarioResult,
  type Suite,
} from "@hawser/conformance/internal";
import { HawserError } from "@hawser/protocol";
import { endWhenUnread, printStyled, printTo } from "../command-line/output.ts";
import { commandName, programName } from "../command-line/launcher.ts";
import { toDirectCommand } from "./direct-command.ts";

export interface ConformOptions {
  readonly json?: true;
  readonly only?: readonly string[];
  readonly timeout?: number;
  readonly jobs?: number;
  readonly list?: true;
}

// What a shell says of a program that wrote to a pipe without a reader. Without the rest there is no verdict, so neither 0 nor 1.
const unreadExitCode = 141;

export async function runConform(suiteName: string | undefined, words: readonly string[], options: ConformOptions): Promise<void> {
  const { stdout } = process;
  const print = options.json ? printTo : printStyled;
  endWhenUnread(options.list ? 0 : unreadExitCode);
  if (options.list) {
    printTo(stdout, suiteName === undefined ? listSuites(options) : listScenarios(findSuite(suiteName), options));
    return;
  }
  const suite = findSuite(suiteName);
  const [command, ...args] = words;
  if (command === undefined) {
    throw new HawserError("usage", `say what to run after --, for example: ${commandName()} conform ${suiteName} -- node my-server.js`);
  }
  const { note, ...direct } = toDirectCommand([command, ...args], process.cwd(), process.env);
  if (note !== undefined) printTo(process.stderr, `${programName()}: note: ${note}\n`);
  const result = await runSuite(suite, subjectFor(suite, { ...direct, timeoutMs: options.timeout }), {
    only: options.only,
    timeoutMs: options.timeout,
    concurrency: options.jobs,
    onResult: (scenario) => void (options.json || print(stdout, formatForPeople(scenario, stdout))),
  }).catch((error: unknown) => {
    // A command that can't be started says nothing about the contract: it is a mistake in the arguments.
    throw HawserError.isInstance(error) && error.code === "start_failed"
      ? new HawserError("usage", error.message, { cause: error })
      : error;
  });
  print(stdout, options.json ? `${JSON.stringify(result, null, 2)}\n` : formatSummary(result, stdout));
  process.exitCode = toExitCode(result);
}

function findSuite(name: string | undefined): Suite {
  const names = Object.keys(suites).join(", ");
  if (name === undefined) throw new HawserError("usage", `say which suite to run; there are: ${names}`);
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (!suite) throw new HawserError("usage", `there is no suite "${name}"; there are: ${names}`);
  return suite;
}

/** One scenario's result, with texts that a terminal can show. */
function formatForPeople(scenario: ScenarioResult, stream: NodeJS.WritableStream): string {
  const { failure } = scenario;
  if (!failure) return formatScenario({ ...scenario, requirements: [] }, stream);
  const { expected, got, lastWords, sent } = failure;
  const shown = { expected: shortenSpaces(expected), got: shortenSpaces(got), ...(sent && { sent: sent.map(shortenSpaces) }) };
  const words = lastWords !== undefined && { lastWords: shortenSpaces(lastWords) };
  return formatScenario({ ...scenario, requirements: [], failure: { ...failure, ...shown, ...words } }, stream);
}

/** The same text with every long run of spaces as its number: `a[5000 spaces]b`. */
const shortenSpaces = (text: string): string => text.replaceAll(/ {8,}/g, (run) => `[${run.length} spaces]`);

function listSuites({ json }: ConformOptions): string {
  const rows = Object.entries(suites).map(([suite, { version, scenarios }]) => ({ suite, version, scenarios: scenarios.length }));
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  const lines = rows.map(({ suite, version, scenarios }) => `${suite.padEnd(8)}${version}  ${scenarios} scenarios\n`);
  return `${lines.join("")}\nThe scenarios of one:  ${commandName()} conform <suite> --list\n`;
}

function listScenarios(suite: Suite, { json, only }: ConformOptions): string {
  const scenarios = selectScenarios(suite, only);
  if (json) return `${JSON.stringify({ ...suite, scenarios }, null, 2)}\n`;
  const width = Math.max(...scenarios.map(({ id }) => id.length));
  return scenarios.map(({ id, title, additive }) => `${id.padEnd(width)}  ${additive ? "(additive) " : ""}${title}\n`).join("");
}
