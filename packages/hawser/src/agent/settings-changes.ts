// The configuration after what a host wants changed. What is not named stays. Entries by name are replaced, or, with `merge`, changed
// member by member, since a host can't send again what it was never told: the values of `env` and `headers`.

import { mergeEntries, type ConfiguredServer } from "@hawser/agent/internal";
import { HawserError, type SettingsChanges } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";

type Members = Readonly<Record<string, unknown>>;

export function applyChanges(
  members: Members,
  { model, allowedCommands, permissions, agents, mcpServers, openaiServers, merge = false }: SettingsChanges,
): Members {
  const lists = { allowedCommands, permissions };
  const records = { agents, mcpServers, openaiServers };
  return {
    ...members,
    ...(model !== undefined && { model: model ?? undefined }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)),
    ...Object.fromEntries(
      Object.entries(records).flatMap(([name, entries]) =>
        entries ? [[name, withEntries(members[name], merge ? merged(name, members[name], entries) : entries)] as const] : [],
      ),
    ),
  };
}

/** Without entries there is no member. */
function withEntries(entries: unknown, changes: Members): Members | undefined {
  const changed = mergeEntries(isRecord(entries) ? entries : {}, changes);
  return Object.keys(changed).length === 0 ? undefined : changed;
}

const namedValues = ["env", "headers"];

/** Each entry as it is now, with what is named exchanged. */
function merged(member: string, present: unknown, changes: Members): Members {
  const entries = isRecord(present) ? present : {};
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
      if (!isRecord(change)) return [name, change];
      if (!isRecord(entry)) throw new HawserError("usage", `${member} has no ${name} any more: it was removed meanwhile`);
      checkHeaders(`${member}.${name}`, entry, change);
      const changed = mergeEntries(entry, change, mergeValues);
      return [name, Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))];
    }),
  );
}

function mergeValues(name: string, own: unknown, changed: unknown): unknown {
  if (!namedValues.includes(name) || !isRecord(changed)) return changed;
  return withEntries(own, changed);
}

/** Like a key, what stands in headers belongs to an address. */
function checkHeaders(key: string, { url: from, headers: kept = {} }: ConfiguredServer, change: Members): void {
  const { url: to, headers: given } = change;
  if (typeof to !== "string" || from === undefined || originOf(from) === originOf(to)) return;
  const staying = given === null ? [] : Object.keys(kept).filter((name) => !(isRecord(given) && Object.hasOwn(given, name)));
  if (staying.length > 0)
    throw new HawserError("usage", `${key}.url is another address: give the values of ${staying.join(", ")} for it, or take them away`);
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
