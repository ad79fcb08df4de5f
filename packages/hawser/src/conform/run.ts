// `hawser conform`: runs a suite against a command and reports. 0 all passed, 1 some failed, 2 usage, 141 when
// the report was not read to its end.

import { statSync } from "node:fs";
import {
  formatScenario,
  formatSummary,
  runSuite,
  selectScenarios,
  subjectFor,
  suites,
  toExitCode,
  type ScenarioResult,
  type SubjectForOptions,
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
  readonly env?: readonly string[];
  readonly prompt?: string;
  readonly toolPrompt?: string;
  readonly permissionPrompt?: string;
  readonly slowPrompt?: string;
  readonly folder?: string;
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
  const subject = subjectFor(suite, {
    ...direct,
    ...forAgents(suite, options),
    variables: toVariables(options.env),
    timeoutMs: options.timeout,
  });
  const result = await runSuite(suite, subject, {
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

/** The options that only an ACP agent has a use for; with another suite they are a mistake. */
function forAgents(suite: Suite, { folder, ...options }: ConformOptions): Pick<SubjectForOptions, "prompts" | "folder"> {
  const names = ["prompt", "toolPrompt", "permissionPrompt", "slowPrompt"] as const;
  const prompts = Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
  const [given = folder === undefined ? undefined : "folder"] = Object.keys(prompts);
  if (given !== undefined && suite.subject !== "acp") {
    const option = `--${given.replace("Prompt", "-prompt")}`;
    throw new HawserError("usage", `${option} is for the suite acp; the suite ${suite.protocol} has no use for it`);
  }
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new HawserError("usage", `--folder: ${folder} is no folder`);
  }
  return { prompts, folder };
}

function toVariables(given: readonly string[] = []): Readonly<Record<string, string>> {
  const pairs = given.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new HawserError("usage", `--env takes name=value, not "${pair}"`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

function findSuite(name: string | undefined): Suite {
  const names = Object.keys(suites).join(", ");
  if (name === undefined)
    throw new HawserError("usage", `say which suite to run, for example: hawser conform rpc -- node my-server.js; there are: ${names}`);
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
