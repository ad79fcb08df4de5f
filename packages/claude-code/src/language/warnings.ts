// Settings of a call that the command line has no way to follow: each is a warning, none is an error, since
// the AI SDK hands the same settings to every model.

import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";

const unsupported = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[];

export function warningsFor(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const warnings: SharedV4Warning[] = unsupported
    .filter((feature) => options[feature] !== undefined)
    .map((feature) => ({ type: "unsupported", feature, details: "Claude Code decides it" }));
  const { toolChoice, tools = [], responseFormat } = options;
  if (toolChoice?.type === "required" || toolChoice?.type === "tool")
    warnings.push({ type: "unsupported", feature: "toolChoice", details: "the model is free to call a tool or not" });
  for (const tool of tools)
    if (tool.type !== "function") warnings.push({ type: "unsupported", feature: `tool ${tool.id}`, details: "tools of other providers" });
  if (responseFormat?.type === "json" && !responseFormat.schema)
    warnings.push({ type: "compatibility", feature: "responseFormat", details: "JSON without a schema is asked for in words" });
  return warnings;
}
