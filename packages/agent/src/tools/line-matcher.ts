// Finds the lines of a text that match. A literal text is searched here, in time that grows with the
// lengths only. A regular expression may take forever, and a model can be made to write one that does: it
// runs in a thread of its own, which is ended when it takes too long, while this one goes on.

import { agentLimits } from "../limits.ts";
import { Worker } from "node:worker_threads";
import { describeThrown, HawserError } from "@hawser/protocol";
import { untilAborted } from "@hawser/wire/internal";
import { occurrencesOf } from "./files/occurrences.ts";

export interface FoundLine {
  /** The first line is 1. */
  readonly line: number;
  readonly text: string;
}

export interface Matcher {
  /** At most `max` lines. */
  find(text: string, max: number): Promise<FoundLine[]>;
  close(): Promise<void>;
}

export interface MatcherOptions {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
  readonly signal: AbortSignal;
}

export function createMatcher(options: MatcherOptions): Matcher {
  const { pattern, isRegex, ignoreCase } = options;
  if (pattern === "") throw refused("the pattern is empty; give the text to look for");
  if (pattern.length > agentLimits.searchPatternChars)
    throw refused(`the pattern is longer than ${agentLimits.searchPatternChars} characters`);
  if (!isRegex && !ignoreCase) return { find: (text, max) => Promise.resolve(findLiteral(pattern, text, max)), close: async () => {} };
  return createThreadMatcher(isRegex ? pattern : pattern.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), options);
}

function findLiteral(pattern: string, text: string, max: number): FoundLine[] {
  const found: FoundLine[] = [];
  let line = 1;
  let lineStart = 0;
  for (const at of occurrencesOf(pattern, text)) {
    // A line is named once, however often it matches.
    if (found.length > 0 && at < lineStart) continue;
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < at; next = text.indexOf("\n", lineStart)) {
      line++;
      lineStart = next + 1;
    }
    const lineEnd = endOfLine(text, at);
    found.push({ line, text: excerpt(text, lineStart, lineEnd, at) });
    if (found.length >= max) break;
    line++;
    lineStart = lineEnd + 1;
  }
  return found;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The line, or what is around the match in a long one. */
function excerpt(text: string, start: number, end: number, at: number): string {
  const room = agentLimits.foundLineChars;
  const from = end - start <= room ? start : Math.max(start, Math.min(at - room / 4, end - room));
  return text
    .slice(from, Math.min(end, from + room))
    .replace(/\r$/, "")
    .toWellFormed();
}

// What runs in the thread; plain JavaScript, since a bundle has no file that could be named here.
const threadSource = `
const { parentPort, workerData } = require("node:worker_threads");
const expression = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", ({ text, max }) => {
  const found = [];
  let line = 0;
  for (let start = 0; start <= text.length && found.length < max; ) {
    let end = text.indexOf("\\n", start);
    if (end < 0) end = text.length;
    line++;
    const one = text.slice(start, end > start && text[end - 1] === "\\r" ? end - 1 : end);
    const match = expression.exec(one);
    if (match && !(start === text.length && start > 0)) found.push({ line, start, end, at: start + match.index });
    start = end + 1;
  }
  parentPort.postMessage(found);
});
parentPort.postMessage("ready");
`;

interface Place {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

function createThreadMatcher(source: string, { ignoreCase, signal, pattern }: MatcherOptions): Matcher {
  const flags = ignoreCase ? "i" : "";
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw refused(`the pattern is not a regular expression (${describeThrown(error)}); correct it, or leave out \`regex\``);
  }
  // Room for the largest file several times over; more would only be garbage that waits to be collected.
  const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
  const thread = new Worker(threadSource, { eval: true, workerData: { source, flags }, env: {}, execArgv: [], resourceLimits });
  // Several texts may be on their way; they are answered one after the other, each with its own time.
  const waiting: { resolve(places: Place[]): void; reject(error: unknown): void }[] = [];
  let failure: Error | undefined;
  let isReady = false;
  let timer: NodeJS.Timeout | undefined;

  function startClock(): void {
    clearTimeout(timer);
    // Its start is not the pattern's fault.
    timer = isReady && waiting.length > 0 ? setTimeout(() => fail(tooSlow(pattern)), agentLimits.searchPatternMs) : undefined;
  }

  function fail(error: Error): void {
    failure = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  }

  thread.once("error", fail);
  thread.on("message", (message: Place[] | "ready") => {
    if (message === "ready") isReady = true;
    else waiting.shift()?.resolve(message);
    startClock();
  });

  async function find(text: string, max: number): Promise<FoundLine[]> {
    if (failure) throw failure;
    const answer = Promise.withResolvers<Place[]>();
    if (waiting.push(answer) === 1) startClock();
    thread.postMessage({ text, max });
    const places = await untilAborted(signal, answer.promise);
    return places.map(({ line, start, end, at }) => ({ line, text: excerpt(text, start, end, at) }));
  }

  async function close(): Promise<void> {
    waiting.length = 0;
    startClock();
    await thread.terminate();
  }
  return { find, close };
}

const refused = (message: string): HawserError => new HawserError("invalid_arguments", message);

const tooSlow = (pattern: string): HawserError =>
  new HawserError(
    "tool_failed",
    `the pattern ${JSON.stringify(pattern)} takes too long; use a simpler one, or a literal text without \`regex\``,
  );
