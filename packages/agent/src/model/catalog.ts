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
import {
  createVendors,
  valueOf,
  type Environment,
  type KeptKeys,
  type ModelConfiguration,
  type ModelProvider,
  type OpenaiServer,
  type Vendor,
} from "./vendors.ts";

export interface ModelCatalogOptions {
  readonly env: Environment;
  readonly config?: ModelConfiguration | undefined;
  /** From the command line. */
  readonly model?: string | undefined;
  /** How many tokens the context of a model holds, where it isn't known to be less. */
  readonly contextWindow?: number | undefined;
  readonly providers?: readonly ModelProvider[] | undefined;
  /** Keys besides those of the environment; `ready`: more of them come from a keychain until it resolves. */
  readonly keys?: (KeptKeys & { readonly ready?: Promise<void> | undefined }) | undefined;
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

interface KnownNames {
  /** With what answers when only the prefix is named, where something does. */
  readonly prefixes: ReadonlyMap<string, string | undefined>;
  /** May have been meant. */
  readonly near: readonly string[];
}

/** Throws `usage` for an unknown name. */
function parseModelName(text: string, { prefixes, near }: KnownNames): ModelName {
  const name = text.trim();
  if (name === offlineName) return { name, prefix: offlineName, model: "" };
  const slash = name.indexOf("/");
  const prefix = slash === -1 ? name : name.slice(0, slash);
  const model = slash === -1 ? prefixes.get(prefix) : name.slice(slash + 1);
  const isKnown = prefixes.has(prefix) && /^\S+$/.test(model ?? "") && name.length <= maxNameChars;
  if (slash === -1 && model === undefined && prefixes.has(prefix))
    throw new HawserError("usage", `${prefix} needs the name of ${prefix === "acp" ? "an agent" : "a model"}: ${toForm(prefix)}`);
  if (!isKnown || model === undefined) throw unknownModel(name, [...prefixes.keys()], near);
  return { name: `${prefix}/${model}`, prefix, model };
}

const toForm = (prefix: string): string => `${prefix}/<${prefix === "acp" ? "agent" : "model"}>`;

function unknownModel(name: string, prefixes: readonly string[], near: readonly string[]): HawserError {
  const shown = quoteShort(name, maxNameChars);
  const forms = [offlineName, ...prefixes.map(toForm)].join(", ");
  const guesses = nearNames(name, [...new Set([offlineName, ...prefixes, ...near])]);
  const hint = guesses.length === 0 ? "" : `Did you mean ${guesses.join(" or ")}? `;
  return new HawserError("usage", `unknown model ${shown}. ${hint}Known forms: ${forms}`, { facts: { near: guesses } });
}

export interface ConfiguredCatalog extends ModelCatalog {
  /** Throws `usage` for a configuration that names a model which can't be one. */
  check(config: ModelConfiguration): void;
  /** From now on with this configuration, and with the keys as they are. Running turns keep their models. */
  reconfigure(config: ModelConfiguration): void;
}

/** What follows from the configuration and the keys as they are now. */
interface Arrangement {
  readonly config: ModelConfiguration;
  readonly vendors: readonly Vendor[];
  parse(text: string): ModelName;
  /** The model that answers unless a message picks another; undefined while a local server is looked for. */
  current: string | undefined;
  /** Resolves when `current` is known. */
  readonly decided: Promise<void>;
}

/** Throws `usage` when the chosen name isn't one of a model. */
export function createModelCatalog(options: ModelCatalogOptions): ConfiguredCatalog {
  const { env, providers = [], localServerMs, keys } = options;
  const windows = createContextWindows({ configured: options.config?.contextWindows, given: options.contextWindow });
  const made = new Map<string, Promise<Model | TurnAgent>>();
  /** Agents of an earlier configuration; their conversations may still be at work. */
  let retired: Promise<Model | TurnAgent>[] = [];
  const local = (): Promise<readonly string[]> => findLocal(env, localServerMs);
  let present = arrange(options.config ?? {});
  // A keychain is asked in the background; what it has may be the reason to choose another model.
  const settled = keys?.ready?.then(() => void (present = arrange(present.config)));

  function arrange(config: ModelConfiguration): Arrangement {
    const vendors = createVendors(env, config, keys);
    const parse = parserFor(config, vendors);
    const current = chosenName({ ...options, config }, parse) ?? nameWithKey(vendors, config);
    const look = async (): Promise<void> => {
      const [first] = await local();
      arrangement.current ??= first ?? offlineName;
    };
    const arrangement: Arrangement = { config, vendors, parse, current, decided: current === undefined ? look() : Promise.resolve() };
    return arrangement;
  }

  function parserFor(config: ModelConfiguration, vendors: readonly Vendor[]): (text: string) => ModelName {
    const prefixes = new Map([
      ...vendors.map(({ prefix }) => [prefix, defaultModels[prefix]] as const),
      ...providers.map(({ prefix, defaultModel }) => [prefix, defaultModel] as const),
    ]);
    return (text) => parseModelName(text, { prefixes, near: listedNames(config, providers) });
  }

  async function create(name: ModelName, { vendors }: Arrangement): Promise<Model | TurnAgent> {
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
    await settled;
    if (wanted === undefined) await present.decided;
    const text = wanted ?? present.current ?? offlineName;
    const known = made.get(text);
    if (known) return known;
    const name = present.parse(text);
    const model = made.get(name.name) ?? create(name, present);
    // One that could not be made may be possible later: a package is installed, a variable is not.
    if (made.size < agentLimits.modelCatalogEntries) made.set(name.name, model);
    void model.catch(() => made.get(name.name) === model && made.delete(name.name));
    return model;
  }

  const agents = async (): Promise<TurnAgent[]> =>
    (await Promise.allSettled([...retired, ...made.values()])).flatMap((each) =>
      each.status === "fulfilled" && "run" in each.value ? [each.value] : [],
    );

  return {
    get current() {
      return present.current ?? offlineName;
    },
    windows,
    pick,
    async list() {
      await settled;
      const { config, vendors, decided } = present;
      await decided;
      const name = present.current ?? offlineName;
      const rows = [...vendorRows(vendors, config), ...localRows(await local()), ...(await providerRows(providers)), toRow(offlineName)];
      if (!rows.some(({ model }) => model === name))
        rows.unshift(toRow(name, vendors.find(({ prefix }) => name.startsWith(`${prefix}/`))?.missing));
      return rows.map((row) => ({ ...row, current: row.model === name }));
    },
    check(config) {
      if (config.model !== undefined) parserFor(config, createVendors(env, config))(config.model);
    },
    reconfigure(config) {
      present = arrange(config);
      // Turns that run have theirs in hand.
      retired = [...retired, ...made.values()].slice(-agentLimits.modelCatalogEntries);
      made.clear();
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
    ...Object.fromEntries(Object.entries(serversOf(config)).map(([name, server]) => [name, server?.models?.[0]])),
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

const listedNames = (config: ModelConfiguration, providers: readonly ModelProvider[]): string[] => [
  ...Object.entries(defaultModels).map(([prefix, model]) => `${prefix}/${model}`),
  ...Object.entries(serversOf(config)).flatMap(([name, server]) => (server?.models ?? []).map((model) => `${name}/${model}`)),
  ...providers.flatMap(({ prefix, models }) => models.map((model) => `${prefix}/${model}`)),
];

const serversOf = ({ openaiCompatible, openaiServers }: ModelConfiguration): Readonly<Record<string, OpenaiServer | undefined>> => ({
  ...openaiServers,
  "openai-compatible": openaiCompatible,
});

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
      const isServer = prefix === "openai-compatible" || config.openaiServers?.[prefix] !== undefined;
      const models = isServer ? serversOf(config)[prefix]?.models : [defaultModels[prefix] ?? ""];
      if (models === undefined || models.length === 0) {
        const member = prefix === "openai-compatible" ? "openaiCompatible" : `openaiServers.${prefix}`;
        return [toRow(`${prefix}/<model>`, missing ?? `no model is named in ${member}.models; pick one by its name`)];
      }
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
