// One line of a host, read: which operation, with which arguments, under which id; and what this server says about itself.
// The id is kept as its source text, since a number beyond 2^53 or an unusual escape would not survive being parsed.

import { gatewayLimits } from "../limits.ts";
import { exceedsDepth, type Incoming, memberSource, wireLimits } from "@hawser/wire/internal";
import { cutText, HawserError, type HelloData, RPC_MIN_HOST_SEMVER, RPC_PROTOCOL, RPC_SEMVER } from "@hawser/protocol/internal";
import type { IdSource } from "./rpc-answer.ts";

const rpcOperations = ["hello", "capability", "call", "cancel", "reload_config", "shutdown"] as const;
type RpcOperation = (typeof rpcOperations)[number];

/** Every name in it is a promise that a test redeems. */
const rpcFeatures: Readonly<Record<string, true>> = {
  rpcWorkers: true,
  rpcQueueSize: true,
  sharedCallCoreV1: true,
  callStatsV1: true,
  hello: true,
  capability: true,
  call: true,
  cancel: true,
  reloadConfig: true,
  shutdown: true,
  // Ours, beyond what the protocol's first server had:
  mutationGuard: true,
  overflowReject: true,
  errorInfo: true,
  errorStatus: true,
  params: true,
  exactIds: true,
  cancelQueued: true,
  cancelCount: true,
  shutdownNow: true,
  readAhead: true,
};

/** The id to echo; none for a missing one, for `null`, and where a broken line does not show it. */
export function readId(item: Incoming): IdSource {
  let source: IdSource;
  if (item.kind === "message") {
    const { value, text } = item;
    const id = (value as { id?: unknown } | null)?.id;
    if (id === undefined) return undefined;
    const isPlain = !text.includes("\\");
    // Without a backslash in the whole line a string stands there as it is; most lines need no second look.
    if (typeof id === "string" && isPlain) return `"${id}"`;
    // Most hosts write the id first and count in whole numbers. A second id would be the one that counts.
    if (typeof id === "number" && isPlain && text.startsWith(`{"id":${id},`) && !text.includes('"id"', 2)) return String(id);
    source = memberSource(text, "id");
  } else {
    source = memberSource(item.head, "id");
  }
  return source === "null" ? undefined : source;
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

/** The source of the id that a `cancel` names; throws `invalid_message` where it names none. */
export function readCancelTarget(text: string): string {
  const args = memberSource(text, "args") ?? "";
  for (const name of ["requestId", "id"]) {
    const source = memberSource(args, name);
    if (source !== undefined && source !== "null") return source;
  }
  throw new HawserError("invalid_message", 'invalid cancel args: "id" (or "requestId") must name the call to cancel');
}

export function toHelloData(version: string): HelloData {
  return {
    protocol: RPC_PROTOCOL,
    protocolSemver: RPC_SEMVER,
    minHostSemver: RPC_MIN_HOST_SEMVER,
    version,
    features: rpcFeatures,
    ops: [...rpcOperations],
  };
}

/** `data` of a `capability`: about one feature, whatever its case, or about all. Throws `invalid_message`. */
export function toCapabilityData({ name: given }: Readonly<Record<string, unknown>>): object {
  if (typeof (given ?? "") !== "string") throw new HawserError("invalid_message", 'invalid capability args: "name" must be a string');
  // No feature has a name this long; the answer repeats it.
  const name = cutText(((given ?? "") as string).trim(), gatewayLimits.rpcErrorTextBytes, "");
  if (name === "") return { protocol: RPC_PROTOCOL, protocolSemver: RPC_SEMVER, features: rpcFeatures };
  const known = Object.keys(rpcFeatures).find((feature) => feature.toLowerCase() === name.toLowerCase());
  return { name: known ?? name, supported: known !== undefined };
}
