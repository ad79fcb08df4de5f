// Answers that look at files: list, read, search, write and replace, each through the tool of that name.

import { isRecord } from "@hawser/protocol/internal";
import { toolNames } from "../tools/tool-table.ts";
import {
  callTool,
  countOf,
  listIn,
  quote,
  say,
  shorten,
  showResult,
  textIn,
  toBlock,
  toList,
  type Answer,
  type Answers,
  type Scene,
} from "./answer.ts";

export const fileAnswers = {
  *list({ captures: { path } }, scene) {
    yield* listFolder(path === undefined || path === "here" || path === "" ? "." : path, scene);
  },
  *read({ captures }, scene) {
    const wanted = captures["path"] ?? "";
    const hasEnding = wanted.slice(wanted.lastIndexOf("/") + 1).includes(".");
    const path = hasEnding ? wanted : yield* lookUp(wanted, scene);
    if (path.endsWith("/")) yield* listFolder(path.slice(0, -1), scene);
    else yield* readFile(path, scene);
  },
  *search({ captures: { text: pattern = "", path } }, scene) {
    const input = path === undefined ? { pattern } : { pattern, path };
    const outcome = yield* callTool(scene, toolNames.searchFiles, input, `Searching for ${quote(pattern)}`);
    if (!outcome.ok) return;
    const matches = listIn(outcome.result, "matches", "results", "files");
    if (matches === undefined) yield* say(showResult(outcome.result));
    else if (matches.length === 0) yield* say(`Nothing contains ${quote(pattern)}.`);
    else yield* say(`${countOf(matches.length, "match", "matches")} for ${quote(pattern)}:\n${toList(matches.map(describeMatch))}`);
  },
  *write({ captures: { path = "", text: content = "" } }, scene) {
    scene.listings.clear();
    const intent = `Writing ${countOf(content.length, "character")} to ${path}`;
    const outcome = yield* callTool(scene, toolNames.writeFile, { path, content }, intent);
    if (outcome.ok) yield* say(content === "" ? `${path} is there, and empty.` : `${path} now says:\n\n${toBlock(content)}`);
  },
  *replace({ captures: { path = "", old: oldText = "", new: newText = "" } }, scene) {
    const intent = `Replacing ${quote(oldText)} with ${quote(newText)} in ${path}`;
    const outcome = yield* callTool(scene, toolNames.editFile, { path, oldText, newText }, intent);
    if (outcome.ok) yield* say(`${path} now says ${quote(newText)} instead of ${quote(oldText)}.`);
  },
} satisfies Answers;

function* listFolder(folder: string, scene: Scene): Answer {
  const outcome = yield* callTool(scene, toolNames.listFiles, { path: folder }, `Listing the files ${inFolder(folder)}`);
  if (!outcome.ok) return;
  const names = namesIn(outcome.result);
  if (names) scene.listings.set(folder, names);
  if (names === undefined) yield* say(showResult(outcome.result));
  else if (names.length === 0) yield* say(`There is nothing ${inFolder(folder)}.`);
  else yield* say(`${countOf(names.length, "entry", "entries")} ${inFolder(folder)}:\n${toList(names)}`);
}

function* readFile(path: string, scene: Scene): Answer {
  const outcome = yield* callTool(scene, toolNames.readFile, { path }, `Reading ${path}`);
  if (!outcome.ok) return;
  const content = textIn(outcome.result, "content", "text");
  if (content === "") yield* say(`${path} is empty.`);
  else yield* say(`${path} says:\n\n${content === undefined ? showResult(outcome.result) : toBlock(content)}`);
}

/** "the README" is a name without its ending: the folder is listed to find the file that is meant. */
function* lookUp(wanted: string, scene: Scene): Answer<string> {
  const slash = wanted.lastIndexOf("/");
  const folder = slash > 0 ? wanted.slice(0, slash) : ".";
  const names = scene.listings.get(folder) ?? (yield* listNames(folder, wanted, scene));
  const found = bestMatch(names, wanted.slice(slash + 1));
  return found === undefined ? wanted : slash > 0 ? `${folder}/${found}` : found;
}

function* listNames(folder: string, wanted: string, scene: Scene): Answer<readonly string[]> {
  // Without a way to look it up, the name is taken as it is.
  if (!scene.tools.some(({ name }) => name === toolNames.listFiles)) return [];
  const outcome = yield* callTool(scene, toolNames.listFiles, { path: folder }, `Looking for ${wanted}`);
  return outcome.ok ? (namesIn(outcome.result) ?? []) : [];
}

/** The same name; else without case; else with an ending, where text to be read by people comes first. */
function bestMatch(names: readonly string[], wanted: string): string | undefined {
  const lower = wanted.toLowerCase();
  const stems = names.filter((name) => stemOf(name).toLowerCase() === lower && !name.endsWith("/")).toSorted();
  return (
    names.find((name) => name === wanted || name === `${wanted}/`) ??
    names.find((name) => name.toLowerCase() === lower) ??
    [".md", ".txt"].map((ending) => stems.find((name) => name.toLowerCase().endsWith(ending))).find((name) => name !== undefined) ??
    stems[0]
  );
}

const inFolder = (folder: string): string => (folder === "." ? "here" : `in ${shorten(folder, 200)}`);

const stemOf = (name: string): string => (name.lastIndexOf(".") > 0 ? name.slice(0, name.lastIndexOf(".")) : name);

/** Names of files; those of folders end in a slash. */
function namesIn(result: unknown): readonly string[] | undefined {
  return listIn(result, "files", "entries", "names")?.map((entry) => {
    if (!isRecord(entry)) return String(entry);
    const name = textIn(entry, "name", "path") ?? JSON.stringify(entry);
    const isFolder = entry["type"] === "directory" || entry["type"] === "folder" || entry["isDirectory"] === true;
    return isFolder && !name.endsWith("/") ? `${name}/` : name;
  });
}

function describeMatch(match: unknown): string {
  const path = textIn(match, "path", "file");
  if (!isRecord(match) || path === undefined) return typeof match === "string" ? match : JSON.stringify(match);
  const line = typeof match["line"] === "number" ? `:${match["line"]}` : "";
  const words = textIn(match, "text", "preview");
  return `${path}${line}${words === undefined ? "" : `: ${words.trim()}`}`;
}
