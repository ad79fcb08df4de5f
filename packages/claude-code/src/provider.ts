// Claude Code in the shape that users of the AI SDK know from other providers: `claudeCode("sonnet")`.

import { NoSuchModelError, type ProviderV4 } from "@ai-sdk/provider";
import { ClaudeCodeModel } from "./model.ts";
import type { ClaudeCodeModelOptions } from "./options.ts";

type ModelOptions = Omit<ClaudeCodeModelOptions, "model">;

export interface ClaudeCodeProvider extends ProviderV4 {
  /** A model by its name or alias; Claude Code's own default without one. */
  (modelId?: string, options?: ModelOptions): ClaudeCodeModel;
  languageModel(modelId?: string, options?: ModelOptions): ClaudeCodeModel;
}

/** A provider whose models have these options unless they are given others. */
export function createClaudeCode(defaults: ModelOptions = {}): ClaudeCodeProvider {
  const create = (modelId?: string, options?: ModelOptions): ClaudeCodeModel =>
    new ClaudeCodeModel({ ...defaults, ...options, ...(modelId !== undefined && { model: modelId }) });
  return Object.assign(create, {
    specificationVersion: "v4" as const,
    languageModel: create,
    embeddingModel: (modelId: string) => refuse(modelId, "embeddingModel"),
    imageModel: (modelId: string) => refuse(modelId, "imageModel"),
  });
}

/** The provider without options: `claudeCode("sonnet")`. */
export const claudeCode: ClaudeCodeProvider = createClaudeCode();

function refuse(modelId: string, modelType: "embeddingModel" | "imageModel"): never {
  throw new NoSuchModelError({ modelId, modelType });
}
