// What the command line uses of this package. Not for users: it may change in any release.

export { checkBatchId, checkSite, createBatchId } from "./batch/batch-names.ts";
export { removeBatch } from "./batch/batch-state.ts";
export { openBatchStreams, type BatchStreams } from "./batch/batch-streams.ts";
export type { BatchItem, ItemEnd } from "./batch/bundle.ts";
export { maxItemBytes } from "./batch/bundler.ts";
export { cancelBatch } from "./batch/cancel-batch.ts";
export { readResults } from "./batch/read-results.ts";
export type { ItemResult, SiteCalls } from "./batch/run-bundle.ts";
export { sendBatch, type SentItem } from "./batch/send-batch.ts";
export { serveSite } from "./batch/serve-site.ts";
export { connectFleet, type Fleet, type FleetAddress } from "./connect.ts";
export { openFleetRuntime } from "./conversations/fleet-runtime.ts";
export { openFleetHost } from "./conversations/fleet-host.ts";
export { listLeases, type ListedLease } from "./conversations/list-leases.ts";
export { findServices, type FoundService } from "./discovery.ts";
export { fleetLimits } from "./limits.ts";
export { servePrompts, type AnswerPrompt } from "./prompts/serve-prompts.ts";
export { examineServers, type FleetFacts } from "./server/examine-servers.ts";
export { findServer, isNewEnough, oldestVersion } from "./server/find-server.ts";
export { startCluster, toMonitorPort } from "./server/start-cluster.ts";
export { startServer, type FleetServer } from "./server/start-server.ts";
export { drainSubject, toDrainName } from "./subjects.ts";
export { createFleetCalls, MachineError } from "./tools/call-tools.ts";
export { watchTools, type LiveTools } from "./tools/live-tools.ts";
export { offerTools } from "./tools/offer-tools.ts";
