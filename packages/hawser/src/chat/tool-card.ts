// A tool's use on a terminal: its name and input on one line, its result on a few, how long it took, or why
// it failed. And the agent's plan, as a list.

import type { TurnEvent } from "@hawser/agent/host";
import { isRecord } from "@hawser/protocol/internal";
import { summarizeDiff } from "./file-changes.ts";
import { fitLine, paint, printStyled, type Format, type Paint } from "../command-line/output.ts";

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
export type Use = Omit<DataOf<"tool_use">, "toolId">;
type Result = Omit<DataOf<"tool_result">, "toolId">;

const maxResultLines = 6;
const maxNameChars = 80;

/** In the agent's own words where it has some. */
export function showUse({ toolName, input, title, locations = [] }: Use, { paint, width }: CardStyle): string {
  const name = fitLine(toolName, maxNameChars);
  const room = width - name.length - 4;
  const said = title === undefined ? inputLine(input) : [title, ...locations.map(showPlace)].join("  ");
  return `${paint("cyan", "●")} ${paint("bold", name)} ${paint("dim", fitLine(said, Math.max(room, 20)))}\n`;
}

export const showPlace = ({ path, line }: { readonly path: string; readonly line?: number }): string =>
  line === undefined ? path : `${path}:${line}`;

export function showResult({ toolName, result, isError, error, durationMs, diffs = [] }: Result, { paint, width }: CardStyle): string {
  const time = durationMs === undefined ? "" : ` ${toTime(durationMs)}`;
  const took = paint("dim", fitLine(toolName, maxNameChars) + time);
  if (isError === true) return `  ${paint("red", "✗")} ${took}  ${paint("red", fitLine(error ?? "failed", width - 4))}\n`;
  const lines = diffs.length > 0 ? diffs.map(summarizeDiff) : resultLines(result);
  const shown = lines.slice(0, maxResultLines).map((line) => `    ${paint("dim", fitLine(line, width - 6))}\n`);
  const more = lines.length > maxResultLines ? `    ${paint("dim", `… ${lines.length - maxResultLines} more lines`)}\n` : "";
  return `  ${paint("green", "✓")} ${took}\n${shown.join("")}${more}`;
}

const planMarks = { completed: "✓", in_progress: "▸", pending: "○" } as const;
const planFormats: Readonly<Record<keyof typeof planMarks, Format>> = { completed: ["dim"], in_progress: ["bold"], pending: [] };

export function showPlan({ entries }: DataOf<"plan">, { paint, width }: CardStyle): string {
  const done = entries.filter(({ status }) => status === "completed").length;
  const rows = entries.map(
    ({ content, status }) => `    ${planMarks[status]} ${paint(planFormats[status], fitLine(content, width - 8))}\n`,
  );
  return `${paint("cyan", "●")} ${paint("bold", "Plan")} ${paint("dim", `${done} of ${entries.length} done`)}\n${rows.join("")}`;
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
export const toPlainText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const toTime = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
