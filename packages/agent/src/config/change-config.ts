// Changes the user's configuration: read anew under a lock, checked as the runtime would check it at its start, and put in place whole.
// What the change does not name stays, also members that this version does not know. A link stays a link: its target is written.

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { HawserError } from "@hawser/protocol";
import { makeFolder, removeDrafts, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { parseAgentConfig, type AgentConfig } from "./agent-config.ts";
import { readMembers, withPaths } from "./config-file.ts";
import { localConfigPath, mergeLocal, toLocal, type Members } from "./local-config.ts";

export interface ConfigFiles {
  /** Where the configuration is. */
  readonly path: string;
  /** A file that was named, not the usual one: it is not written, and what differs from it is kept beside it. */
  readonly isNamed: boolean;
}

/** The file that changes are written to. */
export const changedFile = ({ path, isNamed }: ConfigFiles): string => (isNamed ? localConfigPath(path) : path);

/**
 * Returns the configuration as it counts now. Throws `usage`, and writes nothing, for what the runtime would not start with; `check`
 * throws for what only the composing program can know, and is the last step before the file is written.
 */
export async function changeConfigFile(
  files: ConfigFiles,
  change: (members: Members) => Members,
  check: (config: AgentConfig) => Promise<void>,
): Promise<AgentConfig> {
  const path = changedFile(files);
  await makeFolder(dirname(path));
  const target = await realpath(path).catch(() => path);
  return withFileLock(`${target}.lock`, async () => {
    const base = files.isNamed ? readMembers(files.path) : {};
    const changed = change(mergeLocal(base, readMembers(target)));
    const config = parseAgentConfig(withoutUndefined(changed), () => {});
    const text = `${JSON.stringify(files.isNamed ? toLocal(base, changed) : withoutUndefined(changed), undefined, 2)}\n`;
    if (Buffer.byteLength(text) > agentLimits.agentConfigBytes)
      throw new HawserError("usage", `the configuration would be larger than ${agentLimits.agentConfigBytes} bytes`);
    await check(config);
    await removeDrafts(target);
    await replacePrivateFile(target, text);
    return withPaths(config, dirname(path));
  });
}

const withoutUndefined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
