// The bounds of the agent's host client. Part of `limits`.

export const agentHostLimitTable = {
  hostIdleMs: {
    value: 60_000,
    reason: "Silence of a request after which the host client gives it up and cancels it.",
  },
  hostTotalMs: {
    value: 3_600_000,
    reason:
      "The longest request, whatever comes of it; then the host client gives it up and cancels it. Twice `agentTurnMs`, so that a runtime that keeps its own bounds never meets it.",
  },
  hostUnreadChars: {
    value: 33_554_432,
    reason:
      "Responses that a host's program has not taken yet; beyond it the request that is furthest behind is given up. A program with one turn slows the runtime long before.",
  },
  hostPendingMessages: {
    value: 1_024,
    reason: "Requests of one host client that wait for their end; the next one is refused.",
  },
  hostReadyMs: {
    value: 30_000,
    reason: "Time for a started runtime to say `ready`.",
  },
  hostRestartMs: {
    value: 250,
    reason: "Wait before a runtime that ended is started again; doubled with each that ended lately.",
  },
  hostCrashEntries: {
    value: 5,
    reason: "Ends of a runtime within `hostCrashWindowMs` after which its host stops starting it.",
  },
  hostCrashWindowMs: {
    value: 180_000,
    reason: "How long an end of a runtime is remembered against it.",
  },
  hostStopMs: {
    value: 6_000,
    reason: "Stopping a runtime: time after SIGTERM, in which it finishes, cancels and answers, before SIGKILL.",
  },
};
