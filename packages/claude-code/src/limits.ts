// Every bound of Claude Code as a model: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const claudeCodeLimits = {
  /** The longest request to Claude Code, or step of one that hands its tool calls out; unless `timeoutMs` names another. */
  claudeRequestMs: 1_800_000,
  /** How long Claude Code waits for the results of tool calls that were handed out; then the step counts as abandoned and it is ended. */
  claudeToolResultMs: 1_800_000,
  /** Runs of one model that wait for such results; the oldest is ended when there is one more, since each is a whole process at rest. */
  claudeWaitingEntries: 16,
  /** Conversations whose session of Claude Code is remembered, so that their next message resumes it. */
  claudeSessionEntries: 256,
  /** The longest line that Claude Code may write: one message, with all that a tool returned. More would be kept in memory, line or not. */
  claudeLineBytes: 67_108_864,
  /** How often an interrupt handler is asked while Claude Code is silent. */
  claudeInterruptPollMs: 250,
};
