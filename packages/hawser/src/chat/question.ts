// A question at the terminal: everything that will happen, as the agent says it and as it will be executed; and the answers that the
// asking agent offers.

import type { PermissionRequest } from "@hawser/agent/host";
import { cutText, isRecord, reveal, trustTool } from "@hawser/protocol/internal";
import { fitLine, type Paint } from "../command-line/output.ts";
import type { AnswerWords } from "./answer-words.ts";
import { showDiff } from "./file-changes.ts";
import { chopLine, wrapText } from "./word-wrap.ts";
import { showPlace, toPlainText, type CardStyle } from "./tool-card.ts";

type Asked = Omit<PermissionRequest, "permissionId" | "toolId" | "options">;

const maxNameChars = 80;
const maxTitleChars = 400;
// Shown whole up to this many characters of each argument; `v` shows the rest.
const maxArgumentChars = 600;
const maxReasonChars = 600;
/** What a runtime tells of one thing that a folder brings. */
const maxBroughtChars = 1_000;
const broughtIndent = 8;

/** Everything that a question is about. `isWhole`: also what is long. */
export function showQuestion(request: Asked, { paint, width }: CardStyle, isWhole = false): string {
  const { toolName, input, reason, replaces, title: said, kind, locations = [], diffs = [] } = request;
  const why = `${paint("dim", wrapText(fitLine(reason, maxReasonChars), width, 4))}\n`;
  if (toolName === trustTool) return showTrust(input, { paint, width }) + why;
  const name = fitLine(toolName, maxNameChars);
  const sort = kind === undefined ? name : `${name}, ${fitLine(kind, maxNameChars)}`;
  const heading = said === undefined ? paint("bold", name) : `${paint("bold", fitLine(said, maxTitleChars))} ${paint("dim", `(${sort})`)}`;
  const places = locations.map((place) => `    ${paint("cyan", "file:")} ${fitLine(showPlace(place), maxReasonChars)}\n`).join("");
  const changes = diffs.map((diff) => showDiff(diff, paint, isWhole)).join("");
  const title = `${paint("yellow", "?")} ${heading}\n${places}${changes}`;
  const members = isRecord(input) ? Object.entries(input) : input === null || input === undefined ? [] : [["input", input] as const];
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

/** What the folder brings, which counts once it is trusted. */
function showTrust(input: unknown, { paint, width }: CardStyle): string {
  const { folder, brings } = isRecord(input) ? input : {};
  const things = Array.isArray(brings) ? brings.map((thing) => showBrought(String(thing), width)) : [];
  const heading = `${paint("yellow", "?")} ${paint("bold", `Trust the folder ${fitLine(toPlainText(folder), maxReasonChars)}?`)}\n`;
  return `${heading}    It brings settings of its own, which count once you trust it:\n${things.join("")}`;
}

/** Its lines stand below its first word, also those that a terminal would break: none of them passes for another thing. */
function showBrought(thing: string, width: number): string {
  const rows = cutText(thing, maxBroughtChars)
    .split("\n")
    .flatMap((line) => chopLine(fitLine(line, maxBroughtChars), Math.max(width - broughtIndent, 1)));
  return rows.map((row, at) => `${(at === 0 ? "• " : "").padStart(broughtIndent)}${row}\n`).join("");
}

/** The agent's own answers, each with the word for it. */
export function showOffers({ offers }: AnswerWords, { paint }: CardStyle): string {
  const width = offers.reduce((widest, { word }) => Math.max(widest, word.length), 0);
  const rows = offers.map(
    ({ word, name, effect }) =>
      `    ${paint("bold", word.padEnd(width))}  ${fitLine(name, maxTitleChars)} ${paint("dim", `(${effect})`)}\n`,
  );
  return rows.join("");
}
