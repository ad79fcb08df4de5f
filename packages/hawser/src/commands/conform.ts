// `hawser conform`: runs a suite against a command and reports. 0 all passed, 1 some failed, 2 usage, 141 when
// nobody read the report to its end.

import { formatSummary, runSuite, subjectFor, suites, toExitCode, type Suite } from "@hawser/conformance";
import { HawserError } from "@hawser/wire";
import { commandName, programName } from "../launcher.ts";
import { endWhenUnread, printStyled, printTo } from "../terminal.ts";
import { toDirectCommand } from "./direct-command.ts";
import { formatForPeople, listScenarios, listSuites } from "./conform-report.ts";

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
