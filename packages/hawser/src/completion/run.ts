// `hawser completion` and `complete`: the script for a shell, and what it offers. Only what the words ask for is read, and
// operations only from the cache, since a shell waits. Values that a shell would read as more than a word are left out.

import createCompletions from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { fitLine, printTo, watchOutput } from "../command-line/output.ts";
import { programName } from "../command-line/launcher.ts";

type Completions = ReturnType<typeof createCompletions>;

interface Offer {
  readonly value: string;
  readonly description?: string | undefined;
}

const harmless = /^[\w./:@{}+-]+$/;
const maxDescriptionChars = 80;

export async function runCompletion(shell: string, createBare: () => Promise<Command>): Promise<void> {
  if (shell === "bash") return printTo(process.stdout, toBashScript(programName()));
  // The library prints by itself.
  watchOutput(process.stdout);
  completionsOf(await createBare()).setup(programName(), programName(), shell);
}

export async function runComplete(words: string[], createBare: () => Promise<Command>): Promise<void> {
  watchOutput(process.stdout);
  const completions = completionsOf(await createBare());
  await offerValues(completions, words);
  completions.parse(words);
}

function completionsOf(program: Command): Completions {
  describeBriefly(program);
  // In a checkout the program calls itself `npx hawser`, which no shell completes.
  return createCompletions(program.name(programName()), { completionCommandName: "completion" });
}

/** Shells show one line for each command. */
function describeBriefly(command: Command): void {
  command.description(command.summary() || command.description());
  for (const below of command.commands) describeBriefly(below);
}

/** Gives the library what the last of the words may become. Never throws: completion then offers less. */
async function offerValues(root: Completions, words: readonly string[]): Promise<void> {
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
  const { listProfiles, loadConfig } = await import("@hawser/gateway/internal");
  return listProfiles(await loadConfig()).map(({ name, gatewayURL }) => ({ value: name, description: gatewayURL }));
}

async function findSuites(): Promise<readonly Offer[]> {
  const { suites } = await import("@hawser/conformance");
  return Object.entries(suites).map(([value, { scenarios }]) => ({ value, description: `${scenarios.length} scenarios` }));
}

async function findOperations(words: readonly string[], wantsPaths = false): Promise<readonly Offer[]> {
  // The demo keeps nothing, and what is saved belongs to another API.
  if (words.includes("--demo")) return [];
  const { loadCachedIndex } = await import("@hawser/gateway/internal");
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

/**
 * The script for bash. `name` is the program's, on the PATH. It needs no other package and can be read twice; the words
 * go to the program as they are, without being evaluated. File names complete where the program offers nothing.
 */
const toBashScript = (name: string): string => `# bash completion for ${name}
_${name}_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} value
    local -a words
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=\${words[\${#words[@]}-1]}
    # Bash itself cuts words at these, and wants only what comes behind.
    local before=\${current%"\${current##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\\t' read -r value _; do
        [[ $value == :* ]] || COMPREPLY+=("\${value#"$before"}")
    done < <(${name} complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _${name}_complete ${name}
`;
