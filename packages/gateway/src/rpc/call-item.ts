// One call as a host or a batch file wrote it, checked: members of the right types, and nothing said
// about whether the call makes sense, which is the core's to judge. `null` counts as left out, since
// hosts whose objects have fixed members write it for what they don't use.

import { callItem, HawserError, isRecord, keepNumbers, rpcProtocol, type CallItem } from "@hawser/wire";

/** Throws `invalid_message`, naming the member and the reason. */
export function parseCallItem(value: unknown): CallItem {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new HawserError("invalid_message", "must be a JSON object");
  if (isPlain(value)) return value;
  const args = hasNull(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : value;
  try {
    rpcProtocol.parseRequest({ op: "call", args });
  } catch (error) {
    if (!HawserError.isInstance(error)) throw error;
    throw new HawserError("invalid_message", error.message.replace(/^"args\./, '"'), { cause: error });
  }
  const item = args as CallItem;
  if (Array.isArray(item.params)) throw new HawserError("invalid_message", '"params": must be a JSON object');
  return item;
}

/** An item that was parsed from `text`, with the numbers of its body and its parameters as they were written: they are passed on. */
export function withExactNumbers(item: unknown, text: string, under: readonly string[] = []): unknown {
  if (!isRecord(item)) return item;
  for (const name of ["params", "body"]) if (name in item) item[name] = keepNumbers(item[name], text, [...under, name]);
  return item;
}

function hasNull(value: object): boolean {
  for (const name in value) if ((value as Record<string, unknown>)[name] === null) return true;
  return false;
}

// The members that are nothing but a string or a boolean, by the protocol's own definition. Most calls
// have no others, and need no validator to tell.
const plainTypes = new Map(
  Object.entries(callItem.entries).flatMap(([name, { wrapped }]): [string, string][] => {
    const isOnlyType = "pipe" in wrapped && wrapped.pipe.every(({ kind }) => kind === "schema" || kind === "metadata");
    return isOnlyType && (wrapped.type === "string" || wrapped.type === "boolean") ? [[name, wrapped.type]] : [];
  }),
);

function isPlain(value: object): value is CallItem {
  for (const name in value) if (plainTypes.get(name) !== typeof (value as Record<string, unknown>)[name]) return false;
  return true;
}
