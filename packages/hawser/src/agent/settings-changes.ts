// The configuration after what a host wants changed. What is not named stays. Entries by name are replaced, or, with `merge`, changed
// member by member, since a host can't send again what it was never told: the values of `env` and `headers`.

import { mergeEntries } from "@hawser/agent/internal";
import { HawserError, type SettingsChanges } from "@hawser/protocol";
import { isRecord } from "@hawser/protocol/internal";

export type Members = Readonly<Record<string, unknown>>;

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
      checkBound(`${member}.${name}`, entry, change);
      const changed = mergeEntries(entry, change, mergeValues);
      return [name, Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))];
    }),
  );
}

function mergeValues(name: string, own: unknown, changed: unknown): unknown {
  if (!namedValues.includes(name) || !isRecord(changed)) return changed;
  return withEntries(own, changed);
}

/** Like a key, these belong to an address: what an entry proves itself with there. */
const bound = [
  { place: "url", secret: "headers" },
  { place: "fleet", secret: "credentials" },
  { place: "baseUrl", secret: "apiKeyEnv" },
] as const;

/** Throws where one would stay and its address not: also where the address goes, since the next change could name another one. */
function checkBound(key: string, entry: Members, change: Members): void {
  for (const { place, secret } of bound) {
    if (!Object.hasOwn(change, place) || originOf(entry[place]) === originOf(change[place])) continue;
    const staying = stayingIn(secret, entry[secret], change);
    if (staying.length === 0) continue;
    const what = secret === "headers" ? `the values of ${staying.join(", ")}` : secret;
    throw new HawserError("usage", `${key}.${place} is not the same address then: give ${what} anew, or take that away`);
  }
}

function stayingIn(secret: string, kept: unknown, change: Members): string[] {
  if (kept === undefined) return [];
  if (!Object.hasOwn(change, secret)) return isRecord(kept) ? Object.keys(kept) : [secret];
  const given = change[secret];
  return isRecord(kept) && isRecord(given) ? Object.keys(kept).filter((name) => !Object.hasOwn(given, name)) : [];
}

/** Undefined where there is no address; one that is not of the web is only itself. */
function originOf(place: unknown): string | undefined {
  if (typeof place !== "string") return undefined;
  const url = URL.parse(place);
  return url === null || !/^https?:$/.test(url.protocol) ? place : url.origin;
}
