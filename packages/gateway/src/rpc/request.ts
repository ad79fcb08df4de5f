// One line of a host, read: which operation, with which arguments, under which id. The id is kept as
// its source text, since a number beyond 2^53 or an unusual escape would not survive being parsed.

import { gatewayLimits } from "../limits.ts";
import { exceedsDepth, type Incoming, memberSource, type Received, wireLimits } from "@hawser/wire/internal";
import { cutText, HawserError } from "@hawser/protocol/internal";
import { rpcOperations, type RpcOperation } from "./features.ts";
import type { IdSource } from "./rpc-answer.ts";

/** The id to echo; none for a missing one, for `null`, and where a broken line does not show it. */
export function readId(item: Incoming): IdSource {
  const source = item.kind === "message" ? idSourceOf(item) : memberSource(item.head, "id");
  return source === "null" ? undefined : source;
}

function idSourceOf({ value, text }: Received): IdSource {
  const id = (value as { id?: unknown } | null)?.id;
  if (id === undefined) return undefined;
  // Without a backslash in the whole line a string stands there as it is; most lines need no second look.
  if (typeof id === "string" && !text.includes("\\")) return `"${id}"`;
  return typeof id === "number" && beginsWithOnlyId(text, id) ? String(id) : memberSource(text, "id");
}

// Most hosts write the id first and count in whole numbers. A second id would be the one that counts.
function beginsWithOnlyId(text: string, id: number): boolean {
  return text.startsWith(`{"id":${id},`) && !text.includes("\\") && !text.includes('"id"', 2);
}

/** Whether an answer has room for the id, in length and in depth. */
export const canEcho = (id: IdSource): boolean =>
  id === undefined ||
  id.length * 3 <= 256 ||
  (Buffer.byteLength(id) <= gatewayLimits.rpcMaxIdBytes && !exceedsDepth(id, wireLimits.maxWriteDepth - 1));

/**
 * What two ids have in common when they are the same: their source text, a string's without its escapes.
 * So `1` and `"1"` differ, and so do `1` and `1.0`.
 */
export const toIdKey = (source: string): string =>
  source.startsWith('"') && source.includes("\\") ? JSON.stringify(JSON.parse(source)) : source;

/** Throws `invalid_message` or `unknown_method`. */
export function readOperation(value: object): RpcOperation {
  const { op } = value as { op?: unknown };
  // Most hosts write the names as they are.
  if (rpcOperations.includes(op as RpcOperation)) return op as RpcOperation;
  const known = rpcOperations.join(", ");
  if (typeof op !== "string") throw new HawserError("invalid_message", `"op" must be one of: ${known}`);
  const name = op.trim();
  const operation = rpcOperations.find((candidate) => candidate === name.toLowerCase());
  if (!operation) throw new HawserError("unknown_method", `unknown rpc op ${JSON.stringify(cutText(name, 40))}; known are: ${known}`);
  return operation;
}

/** The arguments as an object; throws `invalid_message` where they are something else. */
export function readArguments(operation: RpcOperation, args: unknown): Readonly<Record<string, unknown>> {
  if (args === undefined || args === null) return {};
  if (typeof args !== "object" || Array.isArray(args)) {
    throw new HawserError("invalid_message", `invalid ${operation} args: must be a JSON object`);
  }
  return args as Record<string, unknown>;
}

/** What a `capability` asks about; empty for everything. Throws `invalid_message`. */
export function readCapabilityName({ name }: Readonly<Record<string, unknown>>): string {
  if (name === undefined || name === null) return "";
  if (typeof name !== "string") throw new HawserError("invalid_message", 'invalid capability args: "name" must be a string');
  // No feature has a name this long; the answer repeats it.
  return cutText(name.trim(), gatewayLimits.rpcErrorTextBytes, "");
}

/** The source of the id that a `cancel` names; throws `invalid_message` where it names none. */
export function readCancelTarget(text: string): string {
  const args = memberSource(text, "args") ?? "";
  for (const name of ["requestId", "id"]) {
    const source = memberSource(args, name);
    if (source !== undefined && source !== "null") return source;
  }
  throw new HawserError("invalid_message", 'invalid cancel args: "id" (or "requestId") must name the call to cancel');
}
