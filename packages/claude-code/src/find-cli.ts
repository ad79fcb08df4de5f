// Where the command line is: the path that was given, else the program that comes with the Agent SDK, else
// `claude` on the PATH, else where its installer puts it. The error for a missing one lists all of these places.

import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { HawserError } from "@hawser/protocol";
import { findAgentSdk } from "./agent-sdk.ts";
import { CLINotFoundError } from "./errors.ts";
import type { ClaudeCodeModelOptions } from "./options.ts";
import { toEnvironment } from "./query-options.ts";

/** Whether requests could run here: the Agent SDK is installed and there is a command line. Loads and starts nothing. */
export function isClaudeCodeAvailable(options: ClaudeCodeModelOptions = {}): boolean {
  try {
    findAgentSdk();
    findCli(options);
    return true;
  } catch (error) {
    if (HawserError.isInstance(error)) return false;
    throw error;
  }
}

/** Only `cliPath` counts, if it is given. */
export function findCli(options: Pick<ClaudeCodeModelOptions, "cliPath" | "cwd" | "env">): string {
  const { cliPath: path, cwd = process.cwd() } = options;
  const searched = path === undefined ? usualPlaces(toEnvironment(options)) : [resolve(cwd, path)];
  const found = searched.find((place) => isProgram(place, path !== undefined));
  if (found !== undefined) return found;
  const advice = path === undefined ? "install Claude Code or name it in `cliPath`" : "correct `cliPath`";
  throw new CLINotFoundError(`there is no command line of Claude Code; ${advice}. Looked at: ${searched.join(", ")}`, {
    facts: { searched },
  });
}

const programName = process.platform === "win32" ? "claude.exe" : "claude";

function usualPlaces(env: Readonly<Record<string, string>>): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const home = env["HOME"] ?? env["USERPROFILE"];
  const installed = home === undefined ? [] : [join(home, ".local", "bin"), join(home, ".claude", "local")];
  return [...bundledPlaces(), ...[...folders, ...installed].map((folder) => join(folder, programName))];
}

/** The Agent SDK brings the program of each platform in a package of its own. */
function bundledPlaces(): string[] {
  const platform = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  return [platform, `${platform}-musl`].flatMap((name) => {
    try {
      // Beside the SDK, which need not be beside us.
      const sdk = createRequire(findAgentSdk());
      return [sdk.resolve(`${name}/${programName}`)];
    } catch {
      return [];
    }
  });
}

/** A script that was named may be one that Node runs, so it need not be executable. */
function isProgram(place: string, mayBeScript: boolean): boolean {
  try {
    if (!statSync(place).isFile()) return false;
    accessSync(place, mayBeScript && /\.[cm]?[jt]s$/.test(place) ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
