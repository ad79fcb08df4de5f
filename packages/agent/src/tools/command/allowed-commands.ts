// Which programs `run_command` may start: those that the user named, and no other. A bare name is looked
// up on the PATH, in absolute folders outside of the roots only: a program that a model has put into its
// own folder is never taken for one that the user meant.

import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { HawserError, quoteShort } from "@hawser/protocol/internal";
import type { Roots } from "../files/roots.ts";

/** Names or absolute paths. Throws `usage` for anything else. */
export function createAllowedCommands(names: readonly string[], roots: Roots, searchPath: string) {
  checkCommands(names);
  const allowed = new Set(names);

  async function find(command: string): Promise<string | undefined> {
    if (isAbsolute(command)) return command;
    for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
      if (await isProgram(roots, folder, command)) return join(folder, command);
    }
    return undefined;
  }

  function check(command: string): void {
    if (allowed.has(command)) return;
    const advice = "Give only the program's name in `command`, and its arguments in `args`";
    const way = "The user can allow another one: with --allow-command, in the settings, or as allowedCommands in the configuration";
    const problem = `the command ${quoteShort(command, 100)} is not allowed; allowed are: ${names.join(", ")}. ${advice}. ${way}`;
    throw new HawserError("invalid_arguments", problem);
  }

  return {
    names: [...allowed],
    /** Throws `invalid_arguments` for a program that is not allowed, whatever a user would say to the call. */
    check,
    /** Where those lie that are there. */
    places: async (): Promise<string[]> => (await Promise.all(Array.from(allowed, find))).filter((path) => path !== undefined),
    /** The program's path; throws when it is not allowed, or not there. */
    async resolve(command: string): Promise<string> {
      check(command);
      const path = await find(command);
      if (path !== undefined) return path;
      throw new HawserError("tool_failed", `${command} is allowed, but there is no such program on the PATH; ask the user to install it`);
    },
  };
}

async function isProgram(roots: Roots, folder: string, name: string): Promise<boolean> {
  try {
    const path = join(folder, name);
    await access(path, constants.X_OK);
    // Judged by where the folder really is; the program in it may be a link to anywhere, as /usr/bin is full of.
    return (await stat(path)).isFile() && roots.rootOf(await realpath(folder)) === undefined;
  } catch {
    return false;
  }
}

/** Throws `usage` for what is neither a name nor an absolute path. */
export function checkCommands(names: readonly string[]): void {
  for (const name of names) checkName(name);
}

function checkName(name: string): void {
  if (name !== "" && !name.includes("\0") && (isAbsolute(name) || basename(name) === name) && name !== "." && name !== "..") return;
  throw new HawserError("usage", `allowed command ${JSON.stringify(name)}: give the name of a program on the PATH, or an absolute path`);
}
