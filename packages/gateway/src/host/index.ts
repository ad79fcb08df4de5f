// The host's side of the gateway: a program that makes calls through `hawser rpc`. Imports only the wire.

export { startGatewayHost, type GatewayHost, type GatewayHostOptions } from "./gateway-host.ts";
export type { HostCallOptions, HostOutcome } from "./rpc-connection.ts";
