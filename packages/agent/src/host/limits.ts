// Every bound of the host's side of the agent: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const agentHostLimits = {
  /** Silence of a request after which the host client gives it up and cancels it. */
  hostIdleMs: 60_000,
  /** The longest request, whatever comes of it; then the host client gives it up and cancels it. Twice `agentTurnMs`, so that a runtime that keeps its own bounds never meets it. */
  hostTotalMs: 3_600_000,
  /** Responses that a host's program has not taken yet; beyond it the request that is furthest behind is given up. A program with one turn slows the runtime long before. */
  hostUnreadChars: 33_554_432,
  /** Events of a turn that is followed again which came before one that is missing; beyond it they are dropped, and the history has them. */
  hostEarlyEntries: 5_000,
  /** Requests of one host client that wait for their end; the next one is refused. */
  hostPendingMessages: 1_024,
  /** Time for a started runtime to say `ready`. */
  hostReadyMs: 30_000,
  /** Wait before a runtime that ended is started again; doubled with each that ended lately. */
  hostRestartMs: 250,
  /** Ends of a runtime within `hostCrashWindowMs` after which its host stops starting it. */
  hostCrashEntries: 5,
  /** How long an end of a runtime is remembered against it. */
  hostCrashWindowMs: 180_000,
  /** Stopping a runtime: time after SIGTERM, in which it finishes, cancels and answers, before SIGKILL. */
  hostStopMs: 6_000,
};
