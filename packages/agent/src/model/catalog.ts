// The models that a runtime may use, by names as `--model` takes them: `offline`, or `<vendor>/<model>`. Unless a message
// picks another, the chosen one answers (`--model`, HAWSER_MODEL, the configuration), else the first vendor with a key,
// else a model server on this machine, else the offline model. Making a catalog loads nothing and connects to nothing.
// Only where there is neither choice nor key, a local server is looked for, in the background and within
// `localServerMs`: until it is found `current` says `offline`; the first answer waits for the outcome.

import { describeThrown, HawserError, nearNames, quoteShort, type ModelEntry } from "@hawser/protocol/internal";
import { secretsIn } from "../hide-secrets.ts";
import { agentLimits } from "../limits.ts";
import { createContextWindows } from "./context-windows.ts";
import type { Model, ModelCatalog } from "./model.ts";
import type { TurnAgent } from "./turn-agent.ts";
import { createVendors, valueOf, type Environment, type ModelConfiguration, type ModelProvider, type Vendor } from "./vendors.ts";

export interface ModelCatalogOptions {
  readonly env: Environment;
  readonly config?: ModelConfiguration | undefined;
  /** From the command line. */
  readonly model?: string | undefined;
  /** How many tokens the context of a model holds, where it isn't known to be less. */
  readonly contextWindow?: number | undefined;
  readonly providers?: readonly ModelProvider[] | undefined;
  /** Instead of the embedded one. */
  readonly offline?: (() => Model | Promise<Model>) | undefined;
  /** How long a server on this machine is waited for. */
  readonly localServerMs?: number | undefined;
}

/** What answers when only the vendor is named, or when a vendor's key is all that is known. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
};

const offlineName = "offline";

interface ModelName {
  /** As it is shown: the whole of it. */
  readonly name: string;
  readonly prefix: string;
  readonly model: string;
}

const maxNameChars = 200;

/** Throws `usage` for an unknown name; `near` are names that may have been meant. */
function parseModelName(text: string, prefixes: readonly string[], near: readonly string[] = []): ModelName {
  const name = text.trim();
  if (name === offlineName) return { name, prefix: offlineName, model: "" };
  const slash = name.indexOf("/");
  const prefix = slash === -1 ? name : name.slice(0, slash);
  const model = slash === -1 ? defaultModels[prefix] : name.slice(slash + 1);
  const isKnown = prefixes.includes(prefix) && /^\S+$/.test(model ?? "") && name.length <= maxNameChars;
  if (slash === -1 && model === undefined && prefixes.includes(prefix))
    throw new HawserError("usage", `${prefix} needs the name of a model: ${prefix}/<model>`);
  if (!isKnown || model === undefined) throw unknownModel(name, prefixes, near);
  return { name: `${prefix}/${model}`, prefix, model };
}

function unknownModel(name: string, prefixes: readonly string[], near: readonly string[]): HawserError {
  const shown = quoteShort(name, maxNameChars);
  const forms = [offlineName, ...prefixes.map((prefix) => `${prefix}/<model>`)].join(", ");
  const guesses = nearNames(name, [...new Set([offlineName, ...prefixes, ...near])]);
  const hint = guesses.length === 0 ? "" : `Did you mean ${guesses.join(" or ")}? `;
  return new HawserError("usage", `unknown model ${shown}. ${hint}Known forms: ${forms}`, { facts: { near: guesses } });
}

/** Throws `usage` when the chosen name isn't one of a model. */
export function createModelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { env, config = {}, providers = [], localServerMs } = options;
  const vendors = createVendors(env, config);
  const windows = createContextWindows({ configured: config.contextWindows, given: options.contextWindow });
  const prefixes = [...vendors, ...providers].map(({ prefix }) => prefix);
  const listed = listedNames(config, providers);
  const parse = (text: string): ModelName => parseModelName(text, prefixes, listed);
  const made = new Map<string, Promise<Model | TurnAgent>>();
  let current = chosenName(options, parse) ?? nameWithKey(vendors, config);
  const local = (): Promise<readonly string[]> => findLocal(env, localServerMs);
  const decided = current === undefined ? local().then(([first]) => void (current ??= first ?? offlineName)) : Promise.resolve();

  async function create(name: ModelName): Promise<Model | TurnAgent> {
    if (name.prefix === offlineName) {
      const { createOfflineModel } = await import("../offline/offline-model.ts");
      return options.offline?.() ?? createOfflineModel({ window: windows.of(offlineName) });
    }
    const vendor = vendors.find(({ prefix }) => prefix === name.prefix);
    if (vendor?.missing !== undefined) throw cannotUse(name.name, vendor.missing);
    // A model from elsewhere has its key from wherever.
    return vendor ? vendor.create(name.model, name.name) : createFrom(name, providers, secretsIn(env));
  }

  async function pick(wanted?: string): Promise<Model | TurnAgent> {
    if (wanted === undefined) await decided;
    const text = wanted ?? current ?? offlineName;
    const known = made.get(text);
    if (known) return known;
    const name = parse(text);
    const model = made.get(name.name) ?? create(name);
    // One that could not be made may be possible later: a package is installed, a variable is not.
    if (made.size < agentLimits.modelCatalogEntries) made.set(name.name, model);
    void model.catch(() => made.delete(name.name));
    return model;
  }

  const agents = async (): Promise<TurnAgent[]> =>
    (await Promise.allSettled(made.values())).flatMap((each) => (each.status === "fulfilled" && "run" in each.value ? [each.value] : []));

  return {
    get current() {
      return current ?? offlineName;
    },
    windows,
    pick,
    async list() {
      await decided;
      const name = current ?? offlineName;
      const rows = [...vendorRows(vendors, config), ...localRows(await local()), ...(await providerRows(providers)), toRow(offlineName)];
      if (!rows.some(({ model }) => model === name))
        rows.unshift(toRow(name, vendors.find(({ prefix }) => name.startsWith(`${prefix}/`))?.missing));
      return rows.map((row) => ({ ...row, current: row.model === name }));
    },
    async release(conversationId) {
      for (const agent of await agents()) await agent.release(conversationId);
    },
    async close() {
      await Promise.allSettled((await agents()).map((agent) => agent.close()));
    },
  };
}

const cannotUse = (name: string, reason: string | undefined): HawserError =>
  new HawserError("usage", `${name} can't be used: ${reason}. The model "${offlineName}" needs nothing`);

function chosenName({ env, config, model }: ModelCatalogOptions, parse: (text: string) => ModelName): string | undefined {
  const variable = valueOf(env, "HAWSER_MODEL");
  const [source, text] =
    model !== undefined ? ["--model", model] : variable !== undefined ? ["HAWSER_MODEL", variable] : ["the configuration", config?.model];
  if (text === undefined) return undefined;
  try {
    return parse(text).name;
  } catch (error) {
    throw new HawserError("usage", `${source}: ${(error as Error).message}`, { facts: (error as HawserError).facts });
  }
}

function nameWithKey(vendors: readonly Vendor[], config: ModelConfiguration): string | undefined {
  const models: Readonly<Record<string, string | undefined>> = {
    ...defaultModels,
    "openai-compatible": config.openaiCompatible?.models?.[0],
  };
  const first = vendors.find(({ prefix, missing }) => missing === undefined && models[prefix] !== undefined);
  return first && `${first.prefix}/${models[first.prefix]}`;
}

/** Not before the event loop turns: what the program says first does not wait for it. */
async function findLocal(env: Environment, waitMs: number | undefined): Promise<readonly string[]> {
  await new Promise((resolve) => setImmediate(resolve));
  const { findLocalModels, ollamaBaseUrl } = await import("./local-server.ts");
  const models = await findLocalModels(ollamaBaseUrl(valueOf(env, "OLLAMA_HOST")), waitMs);
  return (models ?? []).map((model) => `ollama/${model}`);
}

async function createFrom(
  { prefix, model, name }: ModelName,
  providers: readonly ModelProvider[],
  secrets: readonly string[],
): Promise<Model | TurnAgent> {
  const provider = providers.find((candidate) => candidate.prefix === prefix);
  const missing = await provider?.missing(model);
  if (!provider || missing !== undefined) throw cannotUse(name, missing);
  const created = await provider.create(model);
  if ("stream" in created || "run" in created) return created;
  const { createAiSdkModel } = await import("./ai-sdk-model.ts");
  const { ownsLoop } = provider;
  return createAiSdkModel(name, created, { secrets, takesSteers: ownsLoop !== true, ownsContext: ownsLoop });
}

const listedNames = ({ openaiCompatible }: ModelConfiguration, providers: readonly ModelProvider[]): string[] => [
  ...Object.entries(defaultModels).map(([prefix, model]) => `${prefix}/${model}`),
  ...(openaiCompatible?.models ?? []).map((model) => `openai-compatible/${model}`),
  ...providers.flatMap(({ prefix, models }) => models.map((model) => `${prefix}/${model}`)),
];

type Row = Omit<ModelEntry, "current">;

const toRow = (model: string, reason?: string): Row => ({
  model,
  available: reason === undefined,
  ...(reason !== undefined && { reason }),
});

function vendorRows(vendors: readonly Vendor[], config: ModelConfiguration): Row[] {
  return vendors
    .filter(({ prefix }) => prefix !== "ollama")
    .flatMap(({ prefix, missing }) => {
      const models = prefix === "openai-compatible" ? config.openaiCompatible?.models : [defaultModels[prefix] ?? ""];
      if (models === undefined || models.length === 0)
        return [toRow(`${prefix}/<model>`, missing ?? "no model is named in openaiCompatible.models; pick one by its name")];
      return models.map((model) => toRow(`${prefix}/${model}`, missing));
    });
}

const localRows = (local: readonly string[]): Row[] =>
  local.length > 0 ? local.map((name) => toRow(name)) : [toRow("ollama/<model>", "no server answers; start it with: ollama serve")];

async function providerRows(providers: readonly ModelProvider[]): Promise<Row[]> {
  const rows = await Promise.all(
    providers.map(({ prefix, models, missing }) =>
      Promise.all(models.map(async (model) => toRow(`${prefix}/${model}`, await missing(model).catch(describeThrown)))),
    ),
  );
  return rows.flat();
}
