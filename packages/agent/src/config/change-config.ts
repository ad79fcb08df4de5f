// Changes the user's configuration file: read anew under a lock, checked as the runtime would check it at its start, and put in place
// whole. What the change does not name stays, also members that this version does not know. A link stays a link: its target is written.

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { makeFolder, replacePrivateFile, withFileLock } from "@hawser/wire/internal/node";
import { agentLimits } from "../limits.ts";
import { parseAgentConfig, type AgentConfig } from "./agent-config.ts";
import { parseText, readText, withPaths } from "./config-file.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the configuration as it counts now. Throws `usage`, and writes nothing, for what the runtime would not start with; `check`
 * throws for what only the composing program can know.
 */
export async function changeConfigFile(
  path: string,
  change: (members: Members) => Members,
  check: (config: AgentConfig) => void,
): Promise<AgentConfig> {
  await makeFolder(dirname(path));
  const target = await realpath(path).catch(() => path);
  return withFileLock(`${target}.lock`, async () => {
    const parse = (value: unknown): Members => {
      if (!isRecord(value)) throw new HawserError("usage", "the configuration must be an object");
      return value;
    };
    const members = parseText(readText(target, false) ?? "{}", { path, parse, warn: () => {} });
    const changed = withoutUndefined(change(members));
    const config = parseAgentConfig(changed, () => {});
    check(config);
    const text = `${JSON.stringify(changed, undefined, 2)}\n`;
    if (Buffer.byteLength(text) > agentLimits.agentConfigBytes)
      throw new HawserError("usage", `the configuration would be larger than ${agentLimits.agentConfigBytes} bytes`);
    await replacePrivateFile(target, text);
    return withPaths(config, dirname(path));
  });
}

/** Entries by name, some of them exchanged; null takes one away, and without entries there is no member. */
export function changeEntries(entries: unknown, changes: Members): Members | undefined {
  // By `fromEntries`, for which a name such as `__proto__` is a name like any other.
  const kept = isRecord(entries) ? Object.entries(entries).filter(([name]) => !Object.hasOwn(changes, name)) : [];
  const changed = [...kept, ...Object.entries(changes).filter(([, value]) => value !== null)];
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as Members);
}

const withoutUndefined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
