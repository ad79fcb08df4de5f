// The runtime-neutral part of the wire: it imports nothing of Node, so that a page can use it too.

export { createPendingTable, type PendingTable, type WaitOptions } from "./flow/pending.ts";
export { wireLimits } from "./limits.ts";
export { createMemoryPair } from "./transport/memory-transport.ts";
export type { Incoming, Received, Refused, Transport } from "./transport/transport.ts";
