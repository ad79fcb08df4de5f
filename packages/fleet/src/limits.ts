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
};
