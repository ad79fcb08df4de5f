// Every bound of the fleet: one name, one default, one reason. Names end in their unit. `docs/limits.md` is generated
// from this file: the comment above a number is its reason there.

export const fleetLimits = {
  /** Time to reach a NATS server, and to hear from it again when a command begins. */
  fleetConnectMs: 5_000,
  /** Time for the servers of a cluster that we start to find each other and agree on a leader. */
  fleetClusterMs: 60_000,
  /** Time for a server's report about itself. */
  fleetReportMs: 3_000,
  /** A server's report about itself, in memory. */
  fleetReportBytes: 4_194_304,
  /** Between two attempts to reach a server that was lost. */
  fleetReconnectMs: 1_000,
  /** How often a machine says that a call still runs there. */
  fleetBeatMs: 5_000,
  /** Silence about a call after which its outcome counts as unknown: several signs of life are missing then. */
  fleetSilenceMs: 20_000,
  /** How often a machine says that it is there. */
  fleetAnnounceMs: 10_000,
  /** A machine that has not been heard of for this time is left out of the list. */
  fleetGoneMs: 25_000,
  /** Time for the answers of machines that are asked who they are. */
  fleetAskMs: 2_000,
  /** Conversations in which one runtime answers; a turn of another one goes elsewhere. Below `agentBusyLanes`, so that one that just ends never has the next one refused. */
  fleetBusyLanes: 48,
  /** How long a turn waits for a runtime that has room. Hosts that know only the contract give up after a minute. */
  fleetRoomMs: 45_000,
  /** Calls that one machine runs at the same time for one service. */
  fleetCalls: 256,
  /** Prompts of other agents' SDKs that one agent answers at the same time. */
  fleetPromptTurns: 64,
  /** Arguments of calls that run on one machine, in memory. */
  fleetHeldBytes: 67_108_864,
  /** Progress and log lines of one call that wait for the server; more are left out. */
  fleetNoteEntries: 1_000,
  /** Of the name of an MCP client, and of its version, in a call; more is left out. */
  fleetClientChars: 200,
  /** Tools of one service. */
  fleetToolEntries: 10_000,
  /** Machines that a list shows. */
  fleetListedEntries: 1_000,
  /** Servers that are asked for a report. */
  fleetServerEntries: 100,
  /** Time for calls that run when a machine is told to leave. */
  fleetDrainMs: 30_000,
  /** How long a runtime has a conversation without being heard of; then another one may take it. The bucket of the leases is made with it, and what that says counts. */
  fleetLeaseMs: 10_000,
  /** How long events of turns are kept for hosts that come back. */
  fleetEventMs: 3_600_000,
  /** What those events may take together in the servers' memory; the oldest go first. */
  fleetEventBytes: 268_435_456,
  /** Time for one answer of a server's store. */
  fleetAnswerMs: 5_000,
  /** How long a write is settled whose answer was lost, while the servers choose a new leader. */
  fleetSettleMs: 30_000,
  /** Between two attempts to settle it. */
  fleetRetryMs: 250,
  /** How long events that came live wait for those before them, which the stream may not have yet; after that, these are lost. */
  fleetLagMs: 2_000,
  /** Of a journal or of events that are read, bytes that the server sends ahead; two of its largest messages where that is more. */
  fleetReadBytes: 8_388_608,
  /** Texts in parts, larger than the server's `max_payload`, that are waited for at the same time; the one that began first is given up. */
  fleetPartedEntries: 64,
  /** Messages that are sent before a server has to say that it has them: one that can't keep up holds the runtime back. */
  fleetUnflushedMessages: 256,
  /** How often a host looks whether the runtime that it has asked is still there. */
  fleetLookMs: 1_000,
  /** How long a host looks for a runtime that takes its request. Longer than a lease, which may have to end first. */
  fleetPatienceMs: 60_000,
  /** Silence about a turn after which its host asks again what became of it: a turn that runs gives signs of life. */
  fleetQuietMs: 40_000,
  /** Conversations whose events one host follows; the one that was used longest ago is left first. More than requests may wait in. */
  fleetFollowedEntries: 2_048,
  /** Turns of one conversation, and questions of one host, that are told apart; the oldest are forgotten. */
  fleetKnownEntries: 1_024,
  /** What waits for a host that does not read; then it is left. */
  fleetUnreadChars: 67_108_864,
  /** Events that come while a host reads those that it missed, all its conversations together; more are read again afterwards. Of those that it reads, what waits for its program at most: the rest stays on the servers until there is room. */
  fleetHeldEventChars: 16_777_216,
  /** Requests of one host that wait for their end. */
  fleetHostMessages: 1_024,
  /** Items of one batch: a reader notes one bit for each. */
  batchEntries: 10_000_000,
  /** Sites of one batch; each has a consumer on the server, and a bundle of items that fills in the sender's memory. */
  batchSiteEntries: 64,
  /** Items that travel in one message. A server that syncs every write takes some hundred a second. */
  batchBundleEntries: 256,
  /** Bytes of such a message; one item alone may have as many as the server carries. */
  batchBundleBytes: 65_536,
  /** How long an item waits in the sender for others that travel with it. */
  batchGatherMs: 20,
  /** Messages with items that wait for the server's word; the source is not read beyond it. */
  batchSentEntries: 32,
  /** Items that wait for workers, all batches together; senders wait while it is full. Counts when the stream is made. */
  batchItemBytes: 1_073_741_824,
  /** Results that wait for readers, all batches together; workers wait while it is full. Counts when the stream is made. */
  batchResultBytes: 4_294_967_296,
  /** How long results wait for a reader. Counts when the stream is made. */
  batchKeptMs: 604_800_000,
  /** Messages with items that one worker holds. Counts when a site gets its first worker. */
  batchTakenEntries: 256,
  /** Their bytes; what is beyond goes back to the queue. */
  batchTakenBytes: 33_554_432,
  /** Results that a worker could not store yet; no call starts beyond it. */
  batchUnsentBytes: 33_554_432,
  /** How long a claim or a result waits in a worker for others that are stored with it. */
  batchStoreMs: 2,
  /** Silence about items after which another worker gets them. Counts when a site gets its first worker. */
  batchSilenceMs: 10_000,
  /** Silence of a site's worker after which another one takes its place, and how long that one then waits where calls have a rate. Counts when a site gets its first worker. */
  batchPinMs: 3_000,
  /** How often a worker asks for items, by which the server knows that it is there. */
  batchPullMs: 1_000,
  /** The time in which calls that a rate has saved up may be made at once. */
  batchBurstMs: 100,
  /** Wait before a server that did not take something is asked again. */
  batchRetryMs: 500,
  /** How often a reader to whom nothing comes looks whether anything can still come. */
  batchLookMs: 1_000,
  /** How long a cancelled batch may stand still before it is ended without its workers. */
  batchCancelMs: 5_000,
  /** How often it is ended so, while nothing changes, before that is given up. */
  batchCancelSteps: 60,
  /** Workers that may have begun with an item that can be repeated, and died, before it is given up. */
  batchStartEntries: 5,
  /** Results that a reader has asked the server for and not printed. One message may have more. */
  batchReadBytes: 8_388_608,
};
