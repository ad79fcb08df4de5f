// What this server says about itself: the operations it has and the features a host may count on.
// Every name in it is a promise that a test redeems.

import { RPC_MIN_HOST_SEMVER, RPC_PROTOCOL, RPC_SEMVER, type HelloData } from "@hawser/protocol";

export const rpcOperations = ["hello", "capability", "call", "cancel", "reload_config", "shutdown"] as const;
export type RpcOperation = (typeof rpcOperations)[number];

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

/** `data` of a `capability`: about one feature, whatever its case, or about all. */
export function toCapabilityData(name: string): object {
  if (name === "") return { protocol: RPC_PROTOCOL, protocolSemver: RPC_SEMVER, features: rpcFeatures };
  const known = Object.keys(rpcFeatures).find((feature) => feature.toLowerCase() === name.toLowerCase());
  return { name: known ?? name, supported: known !== undefined };
}
