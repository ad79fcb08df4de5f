// A tool's use on a terminal: its name and input on one line, its result on a few, how long it took, or why
// it failed. And a question about one, which shows everything that will happen.

import type { TurnEvent } from "@hawser/agent/host";
import { cutText, isRecord, reveal } from "@hawser/protocol/internal";
import { fitLine, paint, printStyled, type Paint } from "../command-line/output.ts";
import { wrapText } from "./word-wrap.ts";

export interface CardStyle {
  readonly paint: Paint;
  readonly width: number;
}

export interface Screen extends CardStyle {
  /** Without colours Markdown says more than its bare text would. */
  readonly isPlain: boolean;
  write(text: string): void;
}

const usualWidth = 80;
const maxWidth = 160;

export const terminal: Screen = {
  paint,
  get width() {
    return Math.min(process.stdout.columns || usualWidth, maxWidth);
  },
  get isPlain() {
    return paint("bold", "x") === "x";
  },
  write: (text) => printStyled(process.stdout, text),
};

type DataOf<Type extends TurnEvent["type"]> = Extract<TurnEvent, { type: Type; data: unknown }>["data"];
type Use = Omit<DataOf<"tool_use">, "toolId">;
type Result = Omit<DataOf<"tool_result">, "toolId">;

const maxResultLines = 6;
const maxNameChars = 80;

export function showUse({ toolName, input }: Use, { paint, width }: CardStyle): string {
  const name = fitLine(toolName, maxNameChars);
  const room = width - name.length - 4;
  return `${paint("cyan", "●")} ${paint("bold", name)} ${paint("dim", fitLine(inputLine(input), Math.max(room, 20)))}\n`;
}

export function showResult({ toolName, result, isError, error, durationMs }: Result, { paint, width }: CardStyle): string {
  const time = durationMs === undefined ? "" : ` ${toTime(durationMs)}`;
  const took = paint("dim", fitLine(toolName, maxNameChars) + time);
  if (isError === true) return `  ${paint("red", "✗")} ${took}  ${paint("red", fitLine(error ?? "failed", width - 4))}\n`;
  const lines = resultLines(result);
  const shown = lines.slice(0, maxResultLines).map((line) => `    ${paint("dim", fitLine(line, width - 6))}\n`);
  const more = lines.length > maxResultLines ? `    ${paint("dim", `… ${lines.length - maxResultLines} more lines`)}\n` : "";
  return `  ${paint("green", "✓")} ${took}\n${shown.join("")}${more}`;
}

// Shown whole up to this many characters of each argument; `v` shows the rest.
const maxArgumentChars = 600;
const maxReasonChars = 600;

/** Everything that a question is about. `isWhole`: also what is long. */
export function showQuestion(
  { toolName, input, reason, replaces }: Use & { reason: string; replaces?: boolean },
  { paint, width }: CardStyle,
  isWhole = false,
): string {
  const title = `${paint("yellow", "?")} ${paint("bold", fitLine(toolName, maxNameChars))}\n`;
  const why = `${paint("dim", wrapText(fitLine(reason, maxReasonChars), width, 4))}\n`;
  const members = isRecord(input) ? Object.entries(input) : [["input", input] as const];
  const blocks = members.map(([name, value]) => showArgument(name, toPlainText(value), paint, isWhole));
  const loss = replaces === true ? `    ${paint("yellow", "The file of that name is replaced.")}\n` : "";
  return title + blocks.join("") + loss + why;
}

function showArgument(name: string, value: string, paint: Paint, isWhole: boolean): string {
  const shown = isWhole ? value : cutText(value, maxArgumentChars, "");
  const text = reveal(shown);
  const left = value.length - shown.length;
  const note = left > 0 ? `\n    ${paint("yellow", `… ${left} more characters; v and Enter shows them`)}` : "";
  const body = text.includes("\n") ? `\n${text.replaceAll(/^/gm, "      ")}` : ` ${text}`;
  return `    ${paint("cyan", `${fitLine(name, maxNameChars)}:`)}${body}${note}\n`;
}

const inputLine = (input: unknown): string =>
  isRecord(input)
    ? Object.entries(input)
        .map(([name, value]) => `${name}: ${toPlainText(value)}`)
        .join("  ")
    : toPlainText(input);

function resultLines(result: unknown): string[] {
  if (result === null || result === undefined) return [];
  if (typeof result === "string") return toLines(result);
  if (!isRecord(result)) return toLines(JSON.stringify(result));
  return Object.entries(result).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return [`${name}: ${value.join("  ")}`];
    const [first = "", ...rest] = toLines(toPlainText(value));
    return [`${name}: ${first}`, ...rest];
  });
}

const toLines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");
const toPlainText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const toTime = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
