// The tools that every runtime has: files inside the roots, a plan, and the commands that the user allowed.

import type { Tool } from "@hawser/tools";
import { createEditFile } from "./edit-file.ts";
import { createListFiles } from "./list-files.ts";
import { createReadFile } from "./read-file.ts";
import { createRunCommand, type RunCommandOptions } from "./run-command.ts";
import { createSearchFiles } from "./search-files.ts";
import { createUpdatePlan } from "./update-plan.ts";
import { createWriteFile } from "./write-file.ts";

export interface BuiltinToolsOptions extends Omit<RunCommandOptions, "allowedCommands"> {
  /** `run_command` is there only when something is allowed. Default: nothing. */
  readonly allowedCommands?: readonly string[] | undefined;
}

export function createBuiltinTools(options: BuiltinToolsOptions): Tool[] {
  const { roots, allowedCommands = [] } = options;
  return [
    createListFiles(roots),
    createReadFile(roots),
    createWriteFile(roots),
    createEditFile(roots),
    createSearchFiles(roots),
    createUpdatePlan(),
    ...(allowedCommands.length > 0 ? [createRunCommand({ ...options, allowedCommands })] : []),
  ];
}
