// One model on the loopback interface for all clients and agents: it speaks OpenAI's Responses (Codex) and chat completions
// (opencode), Anthropic's Messages (Claude Code) and Gemini's generateContent. What it does depends on the last prompt that it
// knows and on how many results of tools have come since, whatever else a client puts around them.

import { messages } from "../../test/kit/models/scripted-anthropic.ts";
import { generateContent } from "../../test/kit/models/scripted-gemini.ts";
import { chat, responses } from "../../test/kit/models/scripted-openai.ts";
import {
  startScriptedServer,
  type Dialect,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  type ScriptedStep,
} from "../../test/kit/models/scripted-server.ts";
import { readChat, readGenerate, readMessages, readResponses, type Question } from "./model-requests.ts";

/** What the model says after a prompt, then after the first result of a tool, and so on; the last one stays. */
export type Scene = readonly ((question: Question, results: readonly unknown[]) => ScriptedStep)[];

/** Scenes by the prompt that begins them. */
export type Scenes = Readonly<Record<string, Scene>>;

const apis: readonly (readonly [path: RegExp, dialect: Dialect, read: (body: never) => Question])[] = [
  [/^\/v1\/responses$/, responses, readResponses],
  [/^\/v1\/chat\/completions$/, chat, readChat],
  [/^\/v1\/messages\b/, messages, readMessages],
  [/^\/v1beta\/models\/[^/]+:streamGenerateContent\b/, generateContent, readGenerate],
];

const apiOf = (path: string): (typeof apis)[number] | undefined => apis.find(([pattern]) => pattern.test(path));

export function startEndpoint(scenes: Scenes = { "count the boats": counting }, most = mostRequests): Promise<ScriptedServer> {
  const script = ({ path, body }: ScriptedRequest, index: number): ScriptedStep => {
    const read = apiOf(path)?.[2];
    if (index > most) return { status: 400, body: { error: { message: "too many requests: the scene goes round in circles" } } };
    return read ? answer(scenes, read(body as never)) : { status: 404, body: { error: { message: `there is no ${path}` } } };
  };
  const dialect: Dialect = async (step, request, events) => apiOf(request.path)?.[1](step, request, events);
  return startScriptedServer(script, { dialect, basePath: "" });
}

function answer(scenes: Scenes, question: Question): ScriptedStep {
  const { items, tools } = question;
  const prompts = Object.keys(scenes);
  const from = items.findLastIndex((item) => item.type === "said" && prompts.some((prompt) => item.text.includes(prompt)));
  const item = items[from];
  // One text may hold a whole conversation: the last prompt in it counts.
  const said = item?.type === "said" ? item.text : "";
  const prompt = prompts.filter((text) => said.includes(text)).toSorted((a, b) => said.lastIndexOf(b) - said.lastIndexOf(a))[0];
  // Beside the conversation, clients ask for titles, summaries and the like.
  if (prompt === undefined || tools.length === 0) return { text: "Boats" };
  const results = items.slice(from).flatMap((entry) => (entry.type === "result" ? [entry.output] : []));
  const scene = scenes[prompt] ?? [];
  return scene[Math.min(results.length, scene.length - 1)]?.(question, results) ?? { text: "nothing" };
}

// Far more than any test needs.
const mostRequests = 100;

let calls = 0;

/** A call of the first tool whose name ends like this. */
export function callOf({ tools }: Question, name: string | RegExp, input: object | string): ScriptedAnswer {
  const tool = tools.find((entry) => (typeof name === "string" ? entry.name === name : name.test(entry.name)));
  if (!tool) return { text: `there is no tool ${String(name)} among ${tools.map((entry) => entry.name).join(", ")}` };
  const id = `call_${++calls}`;
  const args = typeof input === "string" ? { rawArguments: input, isCustom: true } : { input };
  return { calls: [{ id, name: tool.name, namespace: tool.namespace, ...args }] };
}

export const told = (_: Question, results: readonly unknown[]): ScriptedAnswer => ({
  text: `the tool said ${JSON.stringify(results.at(-1))}`,
});

/** One call of the tool `count`; its result is repeated. */
export const counting: Scene = [(question) => callOf(question, /(?:^|_)count$/, { by: 4 }), told];
