// What completion offers that only this machine knows: profiles, suites and operations. Only what the words ask
// for is read, and operations only from the cache, since a shell waits. Values that it would read as more
// than a word are left out: the API's document chose them.

import type createCompletions from "@bomb.sh/tab/commander";
import { fitLine } from "./terminal.ts";

type Completions = ReturnType<typeof createCompletions>;

interface Offer {
  readonly value: string;
  readonly description?: string | undefined;
}

const harmless = /^[\w./:@{}+-]+$/;
const maxDescriptionChars = 80;

/** Gives the library what the last of the words may become. Never throws: completion then offers less. */
export async function offerValues(root: Completions, words: readonly string[]): Promise<void> {
  const offers = (await findOffers(words).catch(() => [])).filter(({ value }) => harmless.test(value));
  const handler = (complete: (value: string, description: string) => void): void => {
    for (const { value, description = "" } of offers) complete(value, fitLine(description, maxDescriptionChars));
  };
  for (const [path, command] of root.commands) {
    for (const name of ["profile", "op"]) {
      const option = command.options.get(name);
      if (option) option.handler = handler;
    }
    const argument = command.arguments.get(argumentNames[path] ?? "");
    if (argument) argument.handler = handler;
  }
}

/** The commands whose argument we know values for, and the argument's name. */
const argumentNames: Readonly<Record<string, string>> = {
  conform: "suite",
  "api show": "path",
  "config profile use": "name",
  "config profile remove": "name",
};

async function findOffers(words: readonly string[]): Promise<readonly Offer[]> {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const option = /^--[a-z-]+(?==)/.exec(last)?.[0] ?? before.at(-1) ?? "";
  if (option === "--profile" || /^config profile (?:use|remove)$/.test(before.join(" "))) return findProfiles();
  if (option === "--op") return findOperations(words);
  if (before.join(" ") === "conform") return findSuites();
  if (before[0] === "api" && before[1] === "show") return findOperations(words, last.startsWith("/"));
  return [];
}

async function findProfiles(): Promise<readonly Offer[]> {
  const { listProfiles, loadConfig } = await import("@hawser/gateway");
  return listProfiles(await loadConfig()).map(({ name, gatewayURL }) => ({ value: name, description: gatewayURL }));
}

async function findSuites(): Promise<readonly Offer[]> {
  const { suites } = await import("@hawser/conformance");
  return Object.entries(suites).map(([value, { scenarios }]) => ({ value, description: `${scenarios.length} scenarios` }));
}

async function findOperations(words: readonly string[], wantsPaths = false): Promise<readonly Offer[]> {
  // The demo keeps nothing, and what is saved belongs to another API.
  if (words.includes("--demo")) return [];
  const { loadCachedIndex } = await import("@hawser/gateway");
  const index = await loadCachedIndex({
    gatewayUrl: givenValue(words, "--gateway-url"),
    profile: givenValue(words, "--profile"),
    specFile: givenValue(words, "--spec-file"),
  });
  return (index?.operations ?? []).map(({ method, path, operationId = "", summary }) => ({
    value: wantsPaths ? path : operationId,
    description: summary ?? `${method} ${path}`,
  }));
}

/** Of `--flag value` or `--flag=value`. */
function givenValue(words: readonly string[], flag: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 1);
  return words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
}
