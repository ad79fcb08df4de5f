// Answers that use other tools: run a command, call an operation of an API, use any tool by its name.

import { isRecord } from "@hawser/wire";
import { callTool, findTool, propertiesOf, say, type Answer, type Scene } from "./answer.ts";
import { parseArguments } from "./arguments.ts";
import type { OfflineRequest } from "./parse-request.ts";
import { shorten, quote, showResult, toBlock, toList } from "./show.ts";
import { splitWords } from "./words.ts";

export function* answerTools(_request: OfflineRequest, scene: Scene): Answer {
  if (scene.tools.length === 0) {
    yield* say("I am offered no tools here.");
    return;
  }
  const lines = scene.tools.map(({ name, description }) => `\`${name}\`: ${shorten(firstSentence(description), 200)}`);
  yield* say(`These are the tools that I am offered:\n${toList(lines)}`);
}

const firstSentence = (text: string): string => text.slice(0, 2_000).split(/(?<=\.)\s|\n/, 1)[0] ?? "";

export function* answerRun({ captures }: OfflineRequest, scene: Scene): Answer {
  const line = captures["command"] ?? "";
  const [command = "", ...args] = splitWords(line).map(({ text }) => text);
  const outcome = yield* callTool(scene, "run_command", { command, args }, `Running \`${shorten(line, 200)}\``);
  if (outcome.ok) yield* say(describeRun(command, outcome.result));
}

function describeRun(command: string, result: unknown): string {
  if (!isRecord(result)) return showResult(result);
  const { exitCode, stdout, stderr } = result;
  const output = [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  const end = typeof exitCode === "number" ? `\`${command}\` ended with exit code ${exitCode}` : `\`${command}\` has ended`;
  return output === "" ? `${end} and printed nothing.` : `${end} and printed:\n\n${toBlock(output)}`;
}

/** A tool with the operation's name; else the tools that search and call any operation. */
export function* answerCall({ captures }: OfflineRequest, scene: Scene): Answer {
  const { operation = "" } = captures;
  const parsed = parseArguments(captures["arguments"]);
  if (!parsed.ok) {
    yield* say(`I can't call ${quote(operation)}: ${parsed.problem}.`);
    return;
  }
  const tool = findTool(scene, operation);
  const caller = findTool(scene, "call_operation");
  if (!tool && !caller) {
    yield* say(missing(operation, "operation", scene));
    return;
  }
  const outcome = tool
    ? yield* callTool(scene, tool.name, parsed.value, `Calling ${operation}`)
    : yield* callTool(scene, caller?.name ?? "", { operationId: operation, arguments: parsed.value }, `Calling ${operation}`);
  if (outcome.ok) yield* say(`${operation} answered:\n\n${showResult(outcome.result)}`);
  else if (!tool) yield* suggestOperations(operation, scene);
}

function* suggestOperations(operation: string, scene: Scene): Answer {
  const search = findTool(scene, "search_operations");
  if (!search) return;
  const outcome = yield* callTool(scene, search.name, { query: operation }, `Looking for operations like ${quote(operation)}`);
  if (outcome.ok) yield* say(`This is what I found:\n\n${showResult(outcome.result)}`);
}

export function* answerUse({ captures }: OfflineRequest, scene: Scene): Answer {
  const { tool: wanted = "" } = captures;
  const parsed = parseArguments(captures["arguments"]);
  const tool = findTool(scene, wanted);
  if (!tool) {
    yield* say(missing(wanted, "tool", scene));
    return;
  }
  if (!parsed.ok) {
    const takes = propertiesOf(tool);
    yield* say(`I can't use \`${tool.name}\`: ${parsed.problem}.${takes.length > 0 ? ` It takes: ${takes.slice(0, 40).join(", ")}.` : ""}`);
    return;
  }
  const outcome = yield* callTool(scene, tool.name, parsed.value, `Using \`${tool.name}\``);
  if (outcome.ok) yield* say(`\`${tool.name}\` answered:\n\n${showResult(outcome.result)}`);
}

function missing(wanted: string, what: "tool" | "operation", { tools }: Scene): string {
  const names = tools.slice(0, 40).map(({ name }) => `\`${name}\``);
  const known = names.length === 0 ? "I am offered no tools here." : `I am offered: ${names.join(", ")}.`;
  return `There is no ${what} ${quote(wanted)}. ${known}`;
}
