// The user's rules about files, for what files tell the model: these files are named by no call, and a rule counts for all of their names.

import type { FileRuling } from "../tools/files/permit.ts";
import { toolNames } from "../tools/tool-table.ts";

/** What the rules have against this tool on a file; `paths`: its name and its real path, absolute. */
export type FileRules = (toolName: string, paths: readonly string[]) => FileRuling | undefined;

/** Why a file in a folder that its user has trusted may not be read nevertheless. */
export function denialOf(rulingOn: FileRules, paths: readonly string[]): string | undefined {
  const ruling = rulingOn(toolNames.readFile, paths);
  return ruling?.decision === "deny" ? ruling.reason : undefined;
}
