// A tool's call in one line of words, for the head of its card and for the question whether it may run.

import { cutText, isRecord, reveal, trustTool } from "@hawser/protocol/internal";
import type { Permission } from "../state/page-state.ts";

const shownChars = 120;

/** The one line that tells most about the input. */
export function summarizeInput(input: unknown): string {
  if (!isRecord(input)) return shorten(toText(input));
  const { path, pattern } = input;
  const command = commandLine(input);
  if (command !== undefined) return shorten(command);
  if (typeof pattern === "string") return shorten(`${quote(pattern)}${typeof path === "string" ? ` in ${path}` : ""}`);
  if (typeof path === "string") return shorten(path);
  const members = Object.entries(input).map(([name, value]) => `${name}: ${toText(value)}`);
  return shorten(members.join(", "));
}

/** The program and its arguments, as one would type them; some tools take them in one list. */
export function commandLine({ command, args }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof command === "string") return Array.isArray(args) ? [command, ...args].map(quote).join(" ") : command;
  return Array.isArray(command) && command.length > 0 ? [...command, ...(Array.isArray(args) ? args : [])].map(quote).join(" ") : undefined;
}

const kindWords: Readonly<Record<string, string>> = {
  read: "Reads",
  edit: "Changes files",
  delete: "Deletes",
  move: "Moves",
  search: "Searches",
  execute: "Runs a program",
  think: "Thinks",
  fetch: "Fetches",
  switch_mode: "Changes its mode",
};

/** Empty for `other`, which says nothing. */
export function wordsOfKind(kind: string | undefined): string {
  if (kind === undefined || kind === "other") return "";
  return Object.hasOwn(kindWords, kind) ? (kindWords[kind] ?? "") : reveal(kind);
}

/** What is asked: in the agent's own words where it has some. */
export function describeQuestion(toolName: string, permission: Pick<Permission, "input" | "replaces" | "title" | "toolKind">): string {
  const { input, title, toolKind } = permission;
  if (toolName === trustTool) return `Trust the folder ${reveal(quote(toText(isRecord(input) ? input["folder"] : input)))}?`;
  if (title === undefined || title.trim() === "") return describeCall(toolName, permission);
  const kind = wordsOfKind(toolKind);
  return kind === "" ? reveal(title) : `${kind}: ${reveal(title)}`;
}

/** What will happen, for a person who is asked. */
export function describeCall(
  toolName: string,
  { input, replaces }: { readonly input: unknown; readonly replaces?: boolean | undefined },
): string {
  const given = isRecord(input) ? input : {};
  const path = reveal(quote(toText(given["path"])));
  if (toolName === "write_file") return `Write ${countChars(toText(given["content"]))} to ${path}${whatHappensTo(replaces)}`;
  if (toolName === "edit_file") return `Change text in ${path}${given["replaceAll"] === true ? ", everywhere it occurs" : ""}`;
  if (toolName === "run_command") return `Run this program: ${summarizeInput(input)}`;
  return `Use ${reveal(toolName)} with exactly this input`;
}

const countChars = ({ length }: string): string => (length === 1 ? "1 character" : `${length} characters`);

function whatHappensTo(replaces: boolean | undefined): string {
  if (replaces === undefined) return "; if there is a file of that name, it is replaced";
  return replaces ? "; the file of that name is replaced" : ", a new file";
}

const quote = (value: unknown): string => {
  const text = String(value);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
};

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function shorten(text: string): string {
  // Only the part that may be shown is looked at: a text may have megabytes.
  const line = reveal(text.slice(0, 4 * shownChars)).replaceAll(/[ \t\r\n]+/g, " ");
  return cutText(line.trim(), shownChars);
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `4 s`, `2 min 5 s`: for a clock that ticks. */
export const formatClock = (ms: number): string => (ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : formatDuration(ms));
