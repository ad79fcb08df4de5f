// What a host checks before it sends work: the protocol's family, that its major version is not a future
// one, and that the features it can't do without are there. Unknown members of the answer are ignored.

import { cutText, HawserError, isRecord, RPC_PROTOCOL, RPC_SEMVER, type HelloData } from "@hawser/wire";

/** A server that answered and does not fit, as against one that could not be started. */
export const INCOMPATIBLE = "incompatible_server";

/** Throws `start_failed`; for a server that does not fit with the fact `reason: "incompatible_server"`. */
export function checkHello(answer: unknown, requiredFeatures: readonly string[] = []): HelloData {
  const { ok, data, error } = (answer ?? {}) as { ok?: unknown; data?: Partial<HelloData> | null; error?: unknown };
  if (ok !== true || typeof data !== "object" || data === null || typeof data.protocol !== "string") {
    throw new HawserError(
      "start_failed",
      `the rpc server did not say who it is${typeof error === "string" ? `: ${cutText(error, 200)}` : ""}`,
    );
  }
  if (data.protocol !== RPC_PROTOCOL) throw incompatible(`it speaks ${cutText(data.protocol, 64)}, this host ${RPC_PROTOCOL}`);
  const major = majorOf(data.protocolSemver);
  if (major === undefined) throw incompatible("its protocolSemver is not MAJOR.MINOR.PATCH");
  if (major > Number(majorOf(RPC_SEMVER))) throw incompatible(`it speaks version ${data.protocolSemver}, this host ${RPC_SEMVER}`);
  const features = isRecord(data.features) ? data.features : {};
  const missing = requiredFeatures.filter((name) => !hasFeature(features, name));
  if (missing.length > 0) throw incompatible(`it lacks ${missing.join(", ")}`, { missing });
  return {
    protocol: data.protocol,
    protocolSemver: data.protocolSemver as string,
    minHostSemver: textOf(data.minHostSemver),
    version: textOf(data.version),
    features,
    ops: Array.isArray(data.ops) ? data.ops.filter((name) => typeof name === "string") : [],
  };
}

export const hasFeature = (features: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(features, name) && features[name] === true;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function majorOf(semver: unknown): number | undefined {
  const [, major] = (typeof semver === "string" && /^(\d+)\.\d+\.\d+(?:[-+].*)?$/.exec(semver)) || [];
  return major === undefined ? undefined : Number(major);
}

function incompatible(why: string, facts: Readonly<Record<string, unknown>> = {}): HawserError {
  return new HawserError("start_failed", `the rpc server does not fit: ${why}`, { facts: { reason: INCOMPATIBLE, ...facts } });
}
