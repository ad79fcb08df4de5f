// A model on the loopback interface that speaks as much of three APIs as the clients need: OpenAI's Responses (Codex) and chat
// completions (opencode), and Gemini's. It answers a prompt with one call of the tool `count`, and its result by repeating it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ScriptedEndpoint {
  readonly url: string;
  /** Paths of the requests, as they came. */
  readonly paths: readonly string[];
  close(): void;
}

type Dialect = (body: never) => readonly object[];

const dialects: readonly (readonly [path: RegExp, dialect: Dialect])[] = [
  [/^\/v1\/responses$/, responses],
  [/^\/v1\/chat\/completions$/, chatCompletions],
  [/^\/v1beta\/models\/[^/]+:streamGenerateContent\b/, generateContent],
];

export async function startEndpoint(): Promise<ScriptedEndpoint> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const dialect = dialects.find(([pattern]) => pattern.test(path))?.[1];
    paths.push(path);
    void text(request).then((body) => {
      response.writeHead(dialect ? 200 : 404, { "content-type": "text/event-stream" });
      response.end((dialect?.(JSON.parse(body) as never) ?? []).map(toEvent).join(""));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

// Only the Responses API names its events, and Gemini CLI reads no line but those with data.
const toEvent = (event: { readonly type?: string }): string =>
  `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;

const count = { by: 4 };
const told = (result: unknown): string => `the tool said ${JSON.stringify(result)}`;
const missing = "there is no tool that counts";

interface ResponsesBody {
  readonly input: readonly { readonly type: string; readonly output?: unknown }[];
  readonly tools?: readonly { readonly name?: string; readonly tools?: readonly { readonly name: string }[] }[];
}

function responses({ input, tools = [] }: ResponsesBody): object[] {
  const result = input.find(({ type }) => type === "function_call_output");
  // Codex gives the tools of one server as a namespace.
  const server = tools.find((entry) => entry.tools?.some(({ name }) => name === "count"));
  const message = {
    type: "message",
    role: "assistant",
    id: "m1",
    content: [{ type: "output_text", text: result ? told(result.output) : missing }],
  };
  const call = { type: "function_call", id: "f1", call_id: "c1", namespace: server?.name, name: "count", arguments: JSON.stringify(count) };
  return [
    { type: "response.created", response: { id: "r1" } },
    { type: "response.output_item.done", output_index: 0, item: result || !server ? message : call },
    { type: "response.completed", response: { id: "r1", output: [], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } },
  ];
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

function chatCompletions({ messages, tools = [] }: ChatBody): object[] {
  const result = messages.find(({ role }) => role === "tool");
  const tool = tools.find(({ function: { name } }) => name.endsWith("_count"))?.function;
  const call = { index: 0, id: "c1", type: "function", function: { name: tool?.name, arguments: JSON.stringify(count) } };
  const isCall = !result && tool !== undefined;
  const delta = isCall ? { tool_calls: [call] } : { content: result ? told(result.content) : missing };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const toChunk = (delta: object, finish_reason: string | null): object => ({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason }],
    usage,
  });
  return [toChunk({ role: "assistant", ...delta }, null), toChunk({}, isCall ? "tool_calls" : "stop")];
}

interface GenerateBody {
  readonly contents: readonly { readonly parts?: readonly { readonly functionResponse?: { readonly response: unknown } }[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

function generateContent({ contents, tools = [] }: GenerateBody): object[] {
  const result = contents.flatMap(({ parts = [] }) => parts).find(({ functionResponse }) => functionResponse)?.functionResponse;
  const tool = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations).find(({ name }) => name.endsWith("_count"));
  const part = !result && tool ? { functionCall: { name: tool.name, args: count } } : { text: result ? told(result.response) : missing };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  return [{ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata }];
}
