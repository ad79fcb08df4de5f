// What a host changes of a configuration file that somebody named: such a file belongs to the program or the person that named it, and may
// be written anew at any time, as the desktop app does. So it is never changed: what differs from it is kept beside it, in
// `<name>.local.json`. Entries of these members are compared by name; null stands for what is gone.

import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@hawser/protocol/internal";

export type Members = Readonly<Record<string, unknown>>;

const membersByName: readonly string[] = ["agents", "mcpServers", "openaiServers"];

/** `agent.local.json` for `agent.json`. */
export const localConfigPath = (path: string): string => path.replace(/(?:\.json)?$/i, ".local.json");

export function mergeLocal(base: Members, local: Members): Members {
  return mergeEntries(base, local, (name, own, changed) =>
    membersByName.includes(name) && isRecord(own) && isRecord(changed) ? mergeEntries(own, changed) : changed,
  );
}

/** What `mergeLocal` needs to make `wanted` of `base`. */
export function toLocal(base: Members, wanted: Members): Members {
  return differences(base, wanted, (name, own, changed) =>
    membersByName.includes(name) && isRecord(own) && isRecord(changed) ? differences(own, changed) : changed,
  );
}

type Choose = (name: string, own: unknown, changed: unknown) => unknown;
const take: Choose = (_, __, changed) => changed;

/** Entries by name, some of them exchanged; null takes one away. */
// By `fromEntries`, for which a name such as `__proto__` is a name like any other.
export function mergeEntries(base: Members, local: Members, choose: Choose = take): Members {
  const kept = Object.entries(base).filter(([name]) => !Object.hasOwn(local, name));
  const changed = Object.entries(local).filter(([, value]) => value !== null);
  return Object.fromEntries([
    ...kept,
    ...changed.map(([name, value]) => [name, choose(name, Object.hasOwn(base, name) ? base[name] : undefined, value)]),
  ]) as Members;
}

function differences(base: Members, wanted: Members, choose: Choose = take): Members {
  const gone = Object.keys(base).filter((name) => !Object.hasOwn(wanted, name) || wanted[name] === undefined);
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && !(Object.hasOwn(base, name) && isDeepStrictEqual(base[name], value)),
  );
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...changed.map(([name, value]) => [name, choose(name, Object.hasOwn(base, name) ? base[name] : undefined, value)]),
  ]) as Members;
}
