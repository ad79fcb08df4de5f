// `hawser conform`: runs a suite against a command and reports. 0 all passed, 1 some failed, 2 usage.

import {
  formatScenario,
  formatSummary,
  runSuite,
  subjectFor,
  suites,
  toExitCode,
  type ScenarioResult,
  type Suite,
} from "@hawser/conformance";
import { HawserError } from "@hawser/wire";
import { commandName } from "../launcher.ts";
import { endWhenUnread, shortenSpaces } from "../terminal.ts";

export interface ConformOptions {
  readonly json?: true;
  readonly only?: readonly string[];
  readonly timeout?: number;
  readonly jobs?: number;
  readonly list?: true;
}

export async function runConform(suiteName: string, words: readonly string[], options: ConformOptions): Promise<void> {
  const { stdout } = process;
  endWhenUnread();
  const suite = findSuite(suiteName);
  if (options.list) {
    stdout.write(options.json ? `${JSON.stringify(suite, null, 2)}\n` : formatList(suite));
    return;
  }
  const [command, ...args] = words;
  if (command === undefined) {
    throw new HawserError("usage", `say what to run after --, for example: ${commandName()} conform ${suiteName} -- node my-server.js`);
  }
  const result = await runSuite(suite, subjectFor(suite, { command, args, timeoutMs: options.timeout }), {
    only: options.only,
    timeoutMs: options.timeout,
    concurrency: options.jobs,
    onResult: (scenario) => void (options.json || stdout.write(formatScenario(forPeople(scenario), stdout))),
  }).catch((error: unknown) => {
    // A command that can't be started says nothing about the contract: it is a mistake in the arguments.
    throw HawserError.isInstance(error) && error.code === "start_failed"
      ? new HawserError("usage", error.message, { cause: error })
      : error;
  });
  stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : formatSummary(result, stdout));
  process.exitCode = toExitCode(result);
}

/** With texts that a terminal can show; JSON keeps them as they are. */
function forPeople(scenario: ScenarioResult): ScenarioResult {
  const { failure } = scenario;
  if (!failure) return scenario;
  const { expected, got, lastWords } = failure;
  const shown = { expected: shortenSpaces(expected), got: shortenSpaces(got) };
  return { ...scenario, failure: { ...failure, ...shown, ...(lastWords !== undefined && { lastWords: shortenSpaces(lastWords) }) } };
}

function findSuite(name: string): Suite {
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (!suite) throw new HawserError("usage", `there is no suite "${name}"; there are: ${Object.keys(suites).join(", ")}`);
  return suite;
}

function formatList(suite: Suite): string {
  const width = Math.max(...suite.scenarios.map(({ id }) => id.length));
  const lines = suite.scenarios.map(
    ({ id, title, requirements, additive }) => `${id.padEnd(width)}  ${additive ? "(additive) " : ""}${title} (${requirements.join(" ")})`,
  );
  return `${lines.join("\n")}\n`;
}
