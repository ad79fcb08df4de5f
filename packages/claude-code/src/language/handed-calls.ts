// Tools whose functions are somewhere else: the AI SDK of the caller runs them. When the command line calls one, the call
// waits here until the next step brings the result. The calls were announced by the model's message with
// their ids; over the bridge they come without, so they are matched by name and arguments.

import type { LanguageModelV4FunctionTool, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { untilAborted } from "@hawser/wire/internal";
import type { StandardSchema, Tool, ToolContext } from "@hawser/tools";
import { toBase64 } from "./call-prompt.ts";

/** A call as it is handed out. */
export interface HandedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON. */
  readonly input: string;
}

export type HandedCalls = ReturnType<typeof createHandedCalls>;

interface Answer {
  readonly name: string;
  /** The arguments, as one text. */
  readonly key: string;
  readonly result: object;
}

interface WaitingCall extends Omit<Answer, "result"> {
  answer(result: object): void;
}

export function createHandedCalls(functionTools: readonly LanguageModelV4FunctionTool[]) {
  const waiting = new Set<WaitingCall>();
  let answers: Answer[] = [];
  let called = Promise.withResolvers<void>();

  function takeAnswer(name: string, key: string): Answer | undefined {
    // Where the command line has changed the arguments, the name has to do.
    const ofTool = answers.filter((answer) => answer.name === name);
    const found = ofTool.find((answer) => answer.key === key) ?? ofTool[0];
    answers = answers.filter((answer) => answer !== found);
    return found;
  }

  function call(name: string, args: unknown, { signal }: ToolContext): Promise<object> {
    const key = stableJson(args);
    const ready = takeAnswer(name, key);
    if (ready) return Promise.resolve(ready.result);
    const { promise, resolve } = Promise.withResolvers<object>();
    const entry: WaitingCall = { name, key, answer: resolve };
    waiting.add(entry);
    called.resolve();
    return untilAborted(signal, promise).finally(() => waiting.delete(entry));
  }

  return {
    tools: functionTools.map((tool) => toTool(tool, (args, context) => call(tool.name, args, context))),
    /** Resolves when a call reaches us that no result has answered yet. */
    whenCalled: (): Promise<void> => called.promise,
    /** Answers calls, those that wait and those that are still to come. One without a result is answered as failed. */
    settle(calls: readonly HandedCall[], results: ReadonlyMap<string, LanguageModelV4ToolResultOutput>): void {
      called = Promise.withResolvers();
      answers = calls.map(({ toolCallId, toolName: name, input }) => {
        return { name, key: toKey(input), result: toMcpResult(results.get(toolCallId)) };
      });
      for (const entry of [...waiting]) {
        const answer = takeAnswer(entry.name, entry.key);
        if (answer) entry.answer(answer.result);
      }
    },
  };
}

function toTool(
  { name, description, inputSchema }: LanguageModelV4FunctionTool,
  run: (args: unknown, context: ToolContext) => unknown,
): Tool {
  const schema = { type: "object", ...(inputSchema as Record<string, unknown>) };
  // The caller checks the arguments of its functions, and tells the model in its own words.
  const input: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "ai",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
  return { name, description: description ?? "", input, run: (args: never, context) => run(args, context) };
}

/** Arguments that aren't JSON match no call. */
function toKey(input: string): string {
  try {
    return stableJson(JSON.parse(input));
  } catch {
    return input;
  }
}

/** The same text for the same value, however its members are ordered. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}

type Content = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

/** As a function of ours would have returned it. */
function toMcpResult(output: LanguageModelV4ToolResultOutput | undefined): object {
  const toResult = (text: string, isError = false): object => ({ content: [{ type: "text", text }], ...(isError && { isError }) });
  if (!output) return toResult("there is no result of this call", true);
  if (output.type === "execution-denied")
    return toResult(`the call was denied${output.reason === undefined ? "" : `: ${output.reason}`}`, true);
  if (output.type === "content") return output.value.length === 0 ? toResult("") : { content: output.value.map(toBlock) };
  const text = typeof output.value === "string" && output.type.endsWith("text") ? output.value : JSON.stringify(output.value);
  return toResult(text, output.type.startsWith("error"));
}

function toBlock(part: Content): object {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "file" && part.data.type === "data" && /^(?:image|audio)\/[^*]/.test(part.mediaType))
    return { type: part.mediaType.startsWith("image/") ? "image" : "audio", data: toBase64(part.data.data), mimeType: part.mediaType };
  if (part.type === "file" && part.data.type === "text") return { type: "text", text: part.data.text };
  return { type: "text", text: part.type === "file" ? `[a file of type ${part.mediaType}]` : "[content of another kind]" };
}
