// What the tests of models share: steps to send, catalogs whose vendors are scripted servers on loopback,
// and a reader that keeps what came and how it ended.

import { HawserError, type ConversationMessage, type MessagePart } from "@hawser/protocol";
import { createModelCatalog } from "../../src/model/catalog.ts";
import type { TurnAgent } from "../../src/model/turn-agent.ts";
import type { Model, ModelEvent, ModelStep, ModelTool } from "../../src/model/model.ts";
import { startScriptedAnthropic } from "../../../../test/kit/models/scripted-anthropic.ts";
import { startScriptedOpenAI } from "../../../../test/kit/models/scripted-openai.ts";
import type { Script, ScriptedServer } from "../../../../test/kit/models/scripted-server.ts";

/** Looks like a key, and must never be seen. */
export const canaryKey = "sk-canary-5f0c1e9a77d24b";

export const listFiles: ModelTool = {
  name: "list_files",
  description: "Lists files.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export function user(text: string, ...parts: MessagePart[]): ConversationMessage {
  return { messageId: "u", role: "user", parts: [{ type: "text", text }, ...parts], timestamp: 1 };
}

export function assistant(parts: MessagePart[], interrupted?: string): ConversationMessage {
  return { messageId: "a", role: "assistant", parts, timestamp: 2, ...(interrupted !== undefined && { interrupted }) };
}

export function createStep(changes: Partial<ModelStep> = {}): ModelStep {
  const signal = new AbortController().signal;
  return { instructions: "Be brief.", messages: [user("Hello")], attachments: new Map(), tools: [listFiles], signal, ...changes };
}

export type Api = "messages" | "responses" | "chat";
export const apis: readonly Api[] = ["messages", "responses", "chat"];

export interface ScriptedModel extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly model: Model;
}

/** A model of the real provider package, whose vendor is a script. */
export async function startScriptedModel(api: Api, script: Script): Promise<ScriptedModel> {
  const server = await (api === "messages" ? startScriptedAnthropic : startScriptedOpenAI)(script);
  return { server, model: await modelAt(api, server.url), [Symbol.asyncDispose]: () => server.close() };
}

export function modelAt(api: Api, url: string): Promise<Model> {
  const names = { messages: "anthropic/claude-sonnet-5-5", responses: "openai/gpt-5.5", chat: "openai-compatible/any" };
  const env = {
    ANTHROPIC_API_KEY: canaryKey,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: canaryKey,
    OPENAI_BASE_URL: url,
    OTHER_KEY: canaryKey,
  };
  const config = { openaiCompatible: { baseUrl: url, apiKeyEnv: "OTHER_KEY" } };
  return createModelCatalog({ env, config }).pick(names[api]) as Promise<Model>;
}

export interface Outcome {
  readonly events: ModelEvent[];
  readonly text: string;
  readonly error: HawserError | undefined;
}

/** Reads a step to its end; what is thrown must be ours. */
export async function readStep(
  model: Model | TurnAgent,
  step: ModelStep = createStep(),
  onEvent: (event: ModelEvent) => void = () => {},
): Promise<Outcome> {
  const events: ModelEvent[] = [];
  let error: HawserError | undefined;
  try {
    for await (const event of (model as Model).stream(step)) {
      onEvent(event);
      // How a vendor cuts the arguments of a call into pieces is its own affair.
      if (event.type !== "tool_input") events.push(event);
    }
  } catch (thrown) {
    if (!HawserError.isInstance(thrown)) throw thrown;
    error = thrown;
  }
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  return { events, text, error };
}

export const only = <Type extends ModelEvent["type"]>(events: readonly ModelEvent[], type: Type): Extract<ModelEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type);

/** A promise, and what settles it. */
export const createGate = (): PromiseWithResolvers<void> => Promise.withResolvers<void>();
