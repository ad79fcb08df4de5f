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
  /** Messages of a journal that are read ahead. */
  fleetReadMessages: 256,
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
  /** Conversations whose events one host follows; the one that was used longest ago is left first. */
  fleetFollowedEntries: 256,
  /** Turns of one conversation, and questions of one host, that are told apart; the oldest are forgotten. */
  fleetKnownEntries: 1_024,
  /** What waits for a host that does not read; then it is left. */
  fleetUnreadChars: 67_108_864,
  /** Requests of one host that wait for their end. */
  fleetHostMessages: 1_024,
};
