// The bounds of Claude Code as a model. Part of `limits`.

export const claudeCodeLimitTable = {
  claudeRequestMs: {
    value: 1_800_000,
    reason: "The longest request to Claude Code, or step of one that hands its tool calls out; unless `timeoutMs` names another.",
  },
  claudeToolResultMs: {
    value: 1_800_000,
    reason:
      "How long Claude Code waits for the results of tool calls that were handed out; then the step counts as abandoned and it is ended.",
  },
  claudeWaitingEntries: {
    value: 16,
    reason:
      "Runs of one model that wait for such results; the oldest is ended when there is one more, since each is a whole process at rest.",
  },
  claudeSessionEntries: {
    value: 256,
    reason: "Conversations whose session of Claude Code is remembered, so that their next message resumes it.",
  },
  claudeLineBytes: {
    value: 67_108_864,
    reason:
      "The longest line that Claude Code may write: one message, with all that a tool returned. More would be kept in memory, line or not.",
  },
  claudeInterruptPollMs: {
    value: 250,
    reason: "How often an interrupt handler is asked while Claude Code is silent.",
  },
} as const;
