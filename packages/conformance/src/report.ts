// A run as lines for people; programs get the result as JSON. Nothing here writes: the caller does, and passes its stream, since colour
// is for terminals only.

import { styleText } from "node:util";
import { excerptOfText } from "./excerpt.ts";
import type { ScenarioResult, SuiteResult } from "./run-suite.ts";

const styleFor =
  (stream: NodeJS.WritableStream) =>
  (format: Parameters<typeof styleText>[0], text: string): string =>
    styleText(format, text, { stream });

const marks = { passed: ["green", "✓"], failed: ["red", "✗"], unsupported: ["yellow", "~"], skipped: ["yellow", "-"] } as const;

/** One line per scenario; a failed one is followed by what was sent, its step, what was expected and what came. */
export function formatScenario(result: ScenarioResult, stream: NodeJS.WritableStream): string {
  const style = styleFor(stream);
  const [color, mark] = marks[result.outcome];
  const codes = result.requirements.length > 0 ? `(${result.requirements.join(" ")}) ` : "";
  const isUnsupported = result.outcome === "unsupported";
  const unsupported = `(not supported; ${result.reason ?? "beyond the contract"})`;
  const facts = style("dim", isUnsupported ? unsupported : `${codes}${result.ms} ms`);
  const lines = [`${style(color, mark)} ${style("bold", result.id)}  ${result.title} ${facts}`];
  if (result.reason !== undefined && !isUnsupported) lines.push(`    skipped: ${result.reason}`);
  const { failure } = result;
  if (failure && !isUnsupported) {
    lines.push(
      ...(failure.sent ?? []).map((text) => `    sent      ${text}`),
      `    step ${failure.step}, ${failure.verb}`,
      `    expected  ${failure.expected}`,
      `    got       ${style(color, failure.got)}`,
    );
    if (failure.lastWords !== undefined) lines.push(style("dim", `    stderr    ${failure.lastWords}`));
  }
  return `${lines.join("\n")}\n`;
}

/** The last line of a report. */
export function formatSummary(result: SuiteResult, stream: NodeJS.WritableStream): string {
  const style = styleFor(stream);
  const counts = [
    style(result.failed > 0 ? "red" : "green", `${result.passed} passed, ${result.failed} failed`),
    ...(result.unsupported > 0 ? [`${result.unsupported} not supported`] : []),
    ...(result.skipped > 0 ? [`${result.skipped} skipped`] : []),
  ].join(", ");
  return `\n${result.protocol} ${result.version}: ${counts} in ${(result.ms / 1_000).toFixed(1)} s  ${style("dim", excerptOfText(result.subject, 120))}\n`;
}

export const toExitCode = (result: SuiteResult): 0 | 1 => (result.failed === 0 ? 0 : 1);
