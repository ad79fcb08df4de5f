// Answers that use other tools: run a command, call an operation of an API, use any tool by its name.

import { cutText, describeThrown, isRecord } from "@hawser/protocol/internal";
import { describeAltered, findAlteredNumber } from "@hawser/wire/internal";
import {
  callTool,
  countOf,
  findTool,
  quote,
  say,
  shorten,
  showResult,
  toBlock,
  toList,
  type Answer,
  type Answers,
  type Scene,
} from "./answer.ts";
import { splitWords } from "./phrase.ts";
import { toolNames } from "../tools/tool-table.ts";

export const toolAnswers = {
  *tools(_, scene) {
    const lines = scene.tools.map(({ name, description }) => `\`${name}\`: ${shorten(firstSentence(description), 200)}`);
    if (lines.length === 0) yield* say("I am offered no tools here.");
    else yield* say(`These are the tools that I am offered:\n${toList(lines)}`);
  },
  *plan({ captures }, scene) {
    const steps = (captures["steps"] ?? "").split(",").map((step) => step.trim());
    const entries = steps.filter((step) => step !== "").map((content) => ({ content: shorten(content, 200), status: "pending" }));
    const outcome = yield* callTool(scene, toolNames.updatePlan, { entries }, "Making a plan");
    if (outcome.ok) yield* say(`The plan has ${countOf(entries.length, "step")}.`);
  },
  *run({ captures }, scene) {
    const line = captures["command"] ?? "";
    const [command = "", ...args] = splitWords(line).map(({ text }) => text);
    const outcome = yield* callTool(scene, toolNames.runCommand, { command, args }, `Running \`${shorten(line, 200)}\``);
    if (outcome.ok) yield* say(describeRun(command, outcome.result));
  },
  /** A tool with the operation's name; else the tools that search and call any operation. */
  *call({ captures }, scene) {
    const { operation = "" } = captures;
    const parsed = parseArguments(captures["arguments"]);
    if (!parsed.ok) {
      yield* say(`I can't call ${quote(operation)}: ${parsed.problem}.`);
      return;
    }
    const tool = findTool(scene, operation);
    const caller = findTool(scene, toolNames.callOperation);
    if (!tool && !caller) {
      yield* say(missing(operation, "operation", scene));
      return;
    }
    const outcome = tool
      ? yield* callTool(scene, tool.name, parsed.value, `Calling ${operation}`)
      : yield* callTool(scene, caller?.name ?? "", { operationId: operation, arguments: parsed.value }, `Calling ${operation}`);
    if (outcome.ok) yield* say(`${operation} answered:\n\n${showResult(outcome.result)}`);
    else if (!tool) yield* suggestOperations(operation, scene);
  },
  *use({ captures }, scene) {
    const { tool: wanted = "" } = captures;
    const parsed = parseArguments(captures["arguments"]);
    const tool = findTool(scene, wanted);
    if (!tool) {
      yield* say(missing(wanted, "tool", scene));
      return;
    }
    if (!parsed.ok) {
      const { properties } = tool.inputSchema;
      const takes = isRecord(properties) ? Object.keys(properties).slice(0, 40) : [];
      yield* say(`I can't use \`${tool.name}\`: ${parsed.problem}.${takes.length > 0 ? ` It takes: ${takes.join(", ")}.` : ""}`);
      return;
    }
    const outcome = yield* callTool(scene, tool.name, parsed.value, `Using \`${tool.name}\``);
    if (outcome.ok) yield* say(`\`${tool.name}\` answered:\n\n${showResult(outcome.result)}`);
  },
} satisfies Answers;

const firstSentence = (text: string): string => text.slice(0, 2_000).split(/(?<=\.)\s|\n/, 1)[0] ?? "";

function describeRun(command: string, result: unknown): string {
  if (!isRecord(result)) return showResult(result);
  const { exitCode, stdout, stderr } = result;
  const output = [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  const end = typeof exitCode === "number" ? `\`${command}\` ended with exit code ${exitCode}` : `\`${command}\` has ended`;
  return output === "" ? `${end} and printed nothing.` : `${end} and printed:\n\n${toBlock(output)}`;
}

function* suggestOperations(operation: string, scene: Scene): Answer {
  const search = findTool(scene, "search_operations");
  if (!search) return;
  const outcome = yield* callTool(scene, search.name, { query: operation }, `Looking for operations like ${quote(operation)}`);
  if (outcome.ok) yield* say(`This is what I found:\n\n${showResult(outcome.result)}`);
}

function missing(wanted: string, what: "tool" | "operation", { tools }: Scene): string {
  const names = tools.slice(0, 40).map(({ name }) => `\`${name}\``);
  const known = names.length === 0 ? "I am offered no tools here." : `I am offered: ${names.join(", ")}.`;
  return `There is no ${what} ${quote(wanted)}. ${known}`;
}

export type ParsedArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const pairPattern = /\s*([\w.-]+)=("[^"]*"|'[^']*'|\S+)/y;

function parseArguments(text: string | undefined): ParsedArguments {
  const source = text?.trim() ?? "";
  if (source.startsWith("{")) return parseObject(source);
  const pairs: [string, unknown][] = [];
  pairPattern.lastIndex = 0;
  while (pairPattern.lastIndex < source.length) {
    const at = pairPattern.lastIndex;
    const found = pairPattern.exec(source);
    if (!found)
      return { ok: false, problem: `\`${cutText(source.slice(at), 40, "").trim()}\` is neither \`name=value\` nor a JSON object` };
    pairs.push([found[1] as string, toValue(found[2] as string)]);
  }
  return { ok: true, value: Object.fromEntries(pairs) };
}

function parseObject(source: string): ParsedArguments {
  try {
    const value: unknown = JSON.parse(source);
    if (!isRecord(value)) return { ok: false, problem: "the arguments must be a JSON object" };
    const altered = findAlteredNumber(value, source);
    return altered ? { ok: false, problem: `${altered.pointer}: ${describeAltered(altered.source)}` } : { ok: true, value };
  } catch (error) {
    return { ok: false, problem: `the arguments are not valid JSON: ${describeThrown(error)}` };
  }
}

/** Numbers, true, false and null as such; what is quoted, or anything else, as text. */
function toValue(written: string): unknown {
  if (/^["']/.test(written) && written.length > 1) return written.slice(1, -1);
  const bare = written.replace(/,$/, "");
  try {
    const value: unknown = JSON.parse(bare);
    // A number that can't be held stays the text that it was.
    return findAlteredNumber(value, bare) ? bare : value;
  } catch {
    return bare;
  }
}
