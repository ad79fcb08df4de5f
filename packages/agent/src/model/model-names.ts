// Names of models as `--model` takes them: `offline`, or `<vendor>/<model>`. The default models of the
// vendors are here and nowhere else. An unknown name is refused with the known forms and with those
// that look like it.

import { HawserError, nearNames, quoteShort } from "@hawser/protocol/internal";

/** What answers when only the vendor is named, or when a vendor's key is all that is known. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-5.5",
};

export const offlineName = "offline";

export interface ModelName {
  /** As it is shown: the whole of it. */
  readonly name: string;
  readonly prefix: string;
  readonly model: string;
}

const maxNameChars = 200;

/** Throws `usage` for an unknown name; `near` are names that may have been meant. */
export function parseModelName(text: string, prefixes: readonly string[], near: readonly string[] = []): ModelName {
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
