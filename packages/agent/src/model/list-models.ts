// The models as a user sees them: those of every vendor, of the server on this machine, of the composing program,
// and the offline one; each with whether it can be had, and why not. The current one is always among them.

import type { ModelEntry } from "@hawser/wire";
import { defaultModels, offlineName } from "./model-names.ts";
import type { ModelConfiguration, ModelProvider, Vendor } from "./vendors.ts";

export interface ListModelsOptions {
  readonly vendors: readonly Vendor[];
  readonly config: ModelConfiguration;
  readonly providers: readonly ModelProvider[];
  /** Names of those that the local server has. */
  readonly local: readonly string[];
  readonly current: string;
}

export async function listModels({ vendors, config, providers, local, current }: ListModelsOptions): Promise<readonly ModelEntry[]> {
  const rows = [...vendorRows(vendors, config), ...localRows(local), ...(await providerRows(providers)), toRow(offlineName)];
  if (!rows.some(({ model }) => model === current))
    rows.unshift(toRow(current, vendors.find(({ prefix }) => current.startsWith(`${prefix}/`))?.missing));
  return rows.map((row) => ({ ...row, current: row.model === current }));
}

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
    providers.map(async ({ prefix, models, hint, isAvailable }) => {
      const reason = (await isAvailable().catch(() => false)) ? undefined : hint;
      return models.map((model) => toRow(`${prefix}/${model}`, reason));
    }),
  );
  return rows.flat();
}
