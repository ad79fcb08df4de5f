// What `hawser conform` prints for people, and its lists. The codes of requirements are for programs and
// for who works on the contracts: they are in the JSON only.

import { formatScenario, selectScenarios, suites, type ScenarioResult, type Suite } from "@hawser/conformance";
import { commandName } from "../launcher.ts";
import { shortenSpaces } from "../terminal.ts";

/** One scenario's result, with texts that a terminal can show. */
export function formatForPeople(scenario: ScenarioResult, stream: NodeJS.WritableStream): string {
  const { failure } = scenario;
  return formatScenario({ ...scenario, requirements: [], ...(failure && { failure: shorten(failure) }) }, stream);
}

function shorten(failure: NonNullable<ScenarioResult["failure"]>): NonNullable<ScenarioResult["failure"]> {
  const { expected, got, lastWords, sent } = failure;
  const shown = { expected: shortenSpaces(expected), got: shortenSpaces(got), ...(sent && { sent: sent.map(shortenSpaces) }) };
  return { ...failure, ...shown, ...(lastWords !== undefined && { lastWords: shortenSpaces(lastWords) }) };
}

interface ListOptions {
  readonly json?: true;
  readonly only?: readonly string[];
}

export function listSuites({ json }: ListOptions): string {
  const rows = Object.entries(suites).map(([suite, { version, scenarios }]) => ({ suite, version, scenarios: scenarios.length }));
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  const lines = rows.map(({ suite, version, scenarios }) => `${suite.padEnd(8)}${version}  ${scenarios} scenarios\n`);
  return `${lines.join("")}\nThe scenarios of one:  ${commandName()} conform <suite> --list\n`;
}

export function listScenarios(suite: Suite, { json, only }: ListOptions): string {
  const scenarios = selectScenarios(suite, only);
  if (json) return `${JSON.stringify({ ...suite, scenarios }, null, 2)}\n`;
  const width = Math.max(...scenarios.map(({ id }) => id.length));
  const lines = scenarios.map(({ id, title, additive }) => `${id.padEnd(width)}  ${additive ? "(additive) " : ""}${title}\n`);
  return lines.join("");
}
