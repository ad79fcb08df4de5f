// What a host checks before it sends work: the protocol's family, that its major version is not a future
// one, that the server does not ask for a newer host, and that the features it can't do without are there.
// Unknown members of the answer are ignored.

import { cutText, HawserError, isRecord, RPC_PROTOCOL, RPC_SEMVER, type HelloData } from "@hawser/protocol/internal";

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
  checkVersions(data);
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

function checkVersions({ protocolSemver, minHostSemver }: Partial<HelloData>): void {
  const own = toNumbers(RPC_SEMVER);
  const [major = 0] = numbersOf("protocolSemver", protocolSemver);
  if (major > (own[0] ?? 0)) throw incompatible(`it speaks version ${protocolSemver}, this host ${RPC_SEMVER}`);
  // A server that names none takes any host.
  if (minHostSemver === undefined || minHostSemver === null) return;
  if (isNewer(numbersOf("minHostSemver", minHostSemver), own)) {
    throw incompatible(`it asks for a host of version ${minHostSemver} or newer, and this one is ${RPC_SEMVER}; update @hawser/gateway`);
  }
}

export const hasFeature = (features: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(features, name) && features[name] === true;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function numbersOf(member: string, semver: unknown): readonly number[] {
  const numbers = toNumbers(semver);
  if (numbers.length === 0) throw incompatible(`its ${member} is not MAJOR.MINOR.PATCH`);
  return numbers;
}

/** Major, minor and patch; empty where it is not a version. */
function toNumbers(semver: unknown): readonly number[] {
  const match = typeof semver === "string" ? /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(semver) : null;
  return match ? match.slice(1).map(Number) : [];
}

function isNewer(version: readonly number[], than: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== than[index]);
  return at !== -1 && (version[at] ?? 0) > (than[at] ?? 0);
}

function incompatible(why: string, facts: Readonly<Record<string, unknown>> = {}): HawserError {
  return new HawserError("start_failed", `the rpc server does not fit: ${why}`, { facts: { reason: INCOMPATIBLE, ...facts } });
}
