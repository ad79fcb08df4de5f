// What a host checks before it sends work: the protocol and its major version, that the server does not ask for a newer
// host, and that the features it can't do without are there. Unknown members of the answer are ignored.

import { cutText, HawserError, isRecord, RPC_PROTOCOL, RPC_SEMVER, type HelloData } from "@hawser/protocol/internal";

/** A server that answered and does not fit, as against one that could not be started. */
export const INCOMPATIBLE = "incompatible_server";

/** Throws `start_failed`; for a server that does not fit with the fact `reason: "incompatible_server"`. */
export function checkHello(answer: unknown, requiredFeatures: readonly string[] = []): HelloData {
  const { ok, data, error } = (answer ?? {}) as { ok?: unknown; data?: Partial<HelloData> | null; error?: unknown };
  if (ok !== true || typeof data !== "object" || data === null || typeof data.protocol !== "string") {
    const said = typeof error === "string" ? `: ${cutText(error, 200)}` : "";
    throw new HawserError("start_failed", `the rpc server did not say who it is${said}`);
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
  const own = versionOf("version", RPC_SEMVER);
  const [major = 0] = versionOf("protocolSemver", protocolSemver);
  if (major > (own[0] ?? 0)) throw incompatible(`it speaks version ${protocolSemver}, this host ${RPC_SEMVER}`);
  // A server that names none takes any host.
  if (minHostSemver === undefined || minHostSemver === null) return;
  const wanted = versionOf("minHostSemver", minHostSemver);
  const at = wanted.findIndex((part, index) => part !== own[index]);
  if (at !== -1 && (wanted[at] ?? 0) > (own[at] ?? 0)) {
    throw incompatible(`it asks for a host of version ${minHostSemver} or newer, and this one is ${RPC_SEMVER}; update @hawser/gateway`);
  }
}

/** Major, minor and patch. */
function versionOf(member: string, semver: unknown): readonly number[] {
  const match = typeof semver === "string" ? /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(semver) : null;
  if (!match) throw incompatible(`its ${member} is not MAJOR.MINOR.PATCH`);
  return match.slice(1).map(Number);
}

export const hasFeature = (features: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(features, name) && features[name] === true;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function incompatible(why: string, facts: Readonly<Record<string, unknown>> = {}): HawserError {
  return new HawserError("start_failed", `the rpc server does not fit: ${why}`, { facts: { reason: INCOMPATIBLE, ...facts } });
}
