// The vendors whose provider packages come with the runtime: what each needs, where it finds it, and how
// its model is made. The packages are loaded when one of their models is used, not before. They get the
// key and the address from here and never look into the environment themselves.

import { HawserError } from "@hawser/protocol";
import { createAiSdkModel, type AiSdkLanguageModel } from "./ai-sdk-model.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { ollamaBaseUrl } from "./local-server.ts";
import type { Model } from "./model.ts";
import type { TurnAgent } from "./turn-agent.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The part of the configuration file that is about models. */
export interface ModelConfiguration {
  /** The one to use unless `--model` or HAWSER_MODEL names another. */
  readonly model?: string | undefined;
  /** How many tokens the contexts of models hold that are not known here, by their names. */
  readonly contextWindows?: Readonly<Record<string, number>> | undefined;
  /** A server that speaks OpenAI's Chat Completions. */
  readonly openaiCompatible?: OpenaiServer | undefined;
  /** More of them, by name: their models are `<name>/<model>`. */
  readonly openaiServers?: Readonly<Record<string, OpenaiServer>> | undefined;
}

export interface OpenaiServer {
  /** With its `/v1`, if it has one. */
  readonly baseUrl: string;
  /** The environment variable that holds its key; none, and no key that is kept: none is sent. */
  readonly apiKeyEnv?: string | undefined;
  /** Those that are listed; the first is chosen where nothing else is. Others can be picked by name. */
  readonly models?: readonly string[] | undefined;
}

/** Keys that are kept for the user, by vendor and address. What the environment says comes before them. */
export interface KeptKeys {
  get(vendor: string, address?: string): string | undefined;
  /** Why one that is kept can't be had, or not for this address. */
  problemOf(vendor: string, address?: string): string | undefined;
}

const noKeys: KeptKeys = { get: () => undefined, problemOf: () => undefined };

type Fetch = typeof globalThis.fetch;

export interface Vendor {
  readonly prefix: string;
  /** Why its models can't be used, and what to do; undefined if nothing is missing. */
  readonly missing: string | undefined;
  create(model: string, name: string): Promise<Model>;
}

/** Models that the composing program brings along. They are never chosen by themselves. */
export interface ModelProvider {
  /** The name before the slash. */
  readonly prefix: string;
  /** Models that are listed. */
  readonly models: readonly string[];
  /** What answers when only the prefix is named; undefined: a model must be named. */
  readonly defaultModel?: string | undefined;
  /**
   * Whether its language models own their loop, as Claude Code does: what the user says during a turn waits for its end, and they
   * remember the conversation by themselves.
   */
  readonly ownsLoop?: boolean | undefined;
  /** Why this one can't be used, and what to do; undefined if nothing is missing. */
  missing(model: string): Promise<string | undefined>;
  /** Ours, one of the AI SDK, or an agent that answers whole turns by itself. */
  create(model: string): Promise<Model | AiSdkLanguageModel | TurnAgent>;
}

/** An empty variable counts as not set. */
export const valueOf = (env: Environment, variable: string): string | undefined => env[variable]?.trim() || undefined;

export function createVendors(env: Environment, config: ModelConfiguration, kept: KeptKeys = noKeys): readonly Vendor[] {
  const fetch = createBoundedFetch();
  const { openaiCompatible: server, openaiServers = {} } = config;
  return [
    anthropic(env, kept, fetch),
    openai(env, kept, fetch),
    openaiCompatible("openai-compatible", server, { env, kept, fetch }),
    ...Object.entries(openaiServers).map(([name, each]) => openaiCompatible(name, each, { env, kept, fetch })),
    ollama(env, fetch),
  ];
}

/** Where the key of a vendor comes from, unless it is kept: the first that is set counts. */
export function keyVariables(vendor: string, { openaiServers = {} }: ModelConfiguration): readonly string[] {
  if (vendor === "anthropic") return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
  if (vendor === "openai") return ["OPENAI_API_KEY"];
  const variable = Object.hasOwn(openaiServers, vendor) ? openaiServers[vendor]?.apiKeyEnv : undefined;
  return variable === undefined ? [] : [variable];
}

/** The address that a kept key of the vendor is bound to. Those of well-known vendors are their own, or the environment's. */
export function keyAddress(vendor: string, { openaiServers = {} }: ModelConfiguration): string | undefined {
  return Object.hasOwn(openaiServers, vendor) ? toKeyAddress(openaiServers[vendor]) : undefined;
}

/** Two ways to write one address are one; what can't be one is only itself. */
function toKeyAddress(server: OpenaiServer | undefined): string | undefined {
  const url = URL.parse(server?.baseUrl ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) return server?.baseUrl;
  return url.origin + url.pathname.replace(/\/+$/, "") + url.search;
}

function anthropic(env: Environment, kept: KeptKeys, fetch: Fetch): Vendor {
  const authToken = valueOf(env, "ANTHROPIC_API_KEY") === undefined ? valueOf(env, "ANTHROPIC_AUTH_TOKEN") : undefined;
  const apiKey = valueOf(env, "ANTHROPIC_API_KEY") ?? (authToken === undefined ? kept.get("anthropic") : undefined);
  const keyName = authToken === undefined ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
  return {
    prefix: "anthropic",
    missing: (apiKey ?? authToken) ? undefined : "ANTHROPIC_API_KEY is not set",
    async create(model, name) {
      checkKey(apiKey ?? authToken, keyName);
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const credential = apiKey === undefined ? { authToken: authToken ?? "" } : { apiKey };
      const provider = createAnthropic({ baseURL: anthropicUrl(env), ...credential, fetch });
      return createAiSdkModel(name, provider(model), { secrets: [apiKey ?? authToken ?? ""], keyName });
    },
  };
}

function openai(env: Environment, kept: KeptKeys, fetch: Fetch): Vendor {
  const apiKey = valueOf(env, "OPENAI_API_KEY") ?? kept.get("openai");
  return {
    prefix: "openai",
    missing: apiKey ? undefined : "OPENAI_API_KEY is not set",
    async create(model, name) {
      checkKey(apiKey, "OPENAI_API_KEY");
      const { createOpenAI } = await import("@ai-sdk/openai");
      const baseURL = openaiUrl(env);
      const organization = valueOf(env, "OPENAI_ORG_ID");
      const project = valueOf(env, "OPENAI_PROJECT_ID");
      const account = { ...(organization && { organization }), ...(project && { project }) };
      const provider = createOpenAI({ baseURL, apiKey: apiKey ?? "", ...account, fetch });
      return createAiSdkModel(name, provider.responses(model), { secrets: [apiKey ?? ""], keyName: "OPENAI_API_KEY" });
    },
  };
}

interface VendorSources {
  readonly env: Environment;
  readonly kept: KeptKeys;
  readonly fetch: Fetch;
}

function openaiCompatible(prefix: string, server: OpenaiServer | undefined, { env, kept, fetch }: VendorSources): Vendor {
  const keyName = server?.apiKeyEnv;
  const address = toKeyAddress(server);
  const apiKey = (keyName === undefined ? undefined : valueOf(env, keyName)) ?? kept.get(prefix, address);
  const noKey = apiKey === undefined ? whyNoKey(keyName, kept.problemOf(prefix, address)) : undefined;
  return {
    prefix,
    missing: server ? noKey : "the configuration has no openaiCompatible.baseUrl",
    create: (model, name) => chatModel({ name, model, apiKey, keyName, fetch, baseUrl: serverUrl(prefix, server) }),
  };
}

function whyNoKey(keyName: string | undefined, problem: string | undefined): string | undefined {
  if (problem !== undefined) return `its key can't be used: ${problem}`;
  return keyName === undefined ? undefined : `${keyName} is not set`;
}

/** Anthropic's own clients take it without the version, the provider package with it. */
export function anthropicUrl(env: Environment): string {
  const base = checkedUrl(valueOf(env, "ANTHROPIC_BASE_URL") ?? "https://api.anthropic.com", "ANTHROPIC_BASE_URL");
  return base.endsWith("/v1") ? base : `${base}/v1`;
}

export const openaiUrl = (env: Environment): string =>
  checkedUrl(valueOf(env, "OPENAI_BASE_URL") ?? "https://api.openai.com/v1", "OPENAI_BASE_URL");

export const serverUrl = (name: string, server: OpenaiServer | undefined): string =>
  checkedUrl(server?.baseUrl ?? "", name === "openai-compatible" ? "openaiCompatible.baseUrl" : `openaiServers.${name}.baseUrl`);

const ollama = (env: Environment, fetch: Fetch): Vendor => ({
  prefix: "ollama",
  missing: undefined,
  create: (model, name) => chatModel({ name, model, fetch, baseUrl: ollamaBaseUrl(valueOf(env, "OLLAMA_HOST")) }),
});

interface ChatModelOptions {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** The variable that the key comes from. */
  readonly keyName?: string | undefined;
  readonly fetch: Fetch;
}

async function chatModel({ name, model, baseUrl, apiKey, keyName, fetch }: ChatModelOptions): Promise<Model> {
  checkKey(apiKey, keyName);
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const given = { name: "openai-compatible", baseURL: baseUrl, includeUsage: true, fetch };
  const provider = createOpenAICompatible({ ...given, ...(apiKey !== undefined && { apiKey }) });
  return createAiSdkModel(name, provider(model), { secrets: apiKey === undefined ? [] : [apiKey], keyName, takesToolImages: false });
}

// What a header takes, and keys are made of.
const sendable = /^[\x21-\x7e]*$/;

/** A key that can't be sent would fail at every try. It is not shown. */
export function checkKey(key: string | undefined, keyName: string | undefined): void {
  if (key === undefined || sendable.test(key)) return;
  const what = "a blank, a line break or a letter that no key has";
  throw new HawserError("usage", `the key in ${keyName ?? "the configuration"} can't be sent: it holds ${what}; set it again`);
}

/** Without its last slash. Not shown where it is refused: it may hold a password. */
function checkedUrl(text: string, source: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new HawserError("usage", `${source} is not an http or https address`);
  if (url.username !== "" || url.password !== "")
    throw new HawserError("usage", `${source} holds a name or password; give the key in its variable`);
  return text.replace(/\/+$/, "");
}
