// One call as a host or a batch file wrote it, checked: members of the right types, and nothing said
// about whether the call makes sense, which is the core's to judge. `null` counts as left out, since
// hosts whose objects have fixed members write it for what they don't use.

import { HawserError, rpcProtocol, type CallItem } from "@hawser/wire";

/** Throws `invalid_message`, naming the member and the reason. */
export function parseCallItem(value: unknown): CallItem {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new HawserError("invalid_message", "must be a JSON object");
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

function hasNull(value: object): boolean {
  for (const name in value) if ((value as Record<string, unknown>)[name] === null) return true;
  return false;
}
