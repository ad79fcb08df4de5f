// Every bound of agents that are reached through ACP: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const acpLimits = {
  /** Sessions that one editor may have open. */
  acpSessionEntries: 256,
  /** Requests of an editor, or of an agent, that wait for their answer at the same time; a further one is refused. */
  acpRequestEntries: 1_024,
  /** What those requests say, all together; one that would go beyond it is refused. */
  acpRequestChars: 16_777_216,
  /** Images of prompts that are kept for later turns of the same process; beyond it the oldest are removed. */
  acpImageBytes: 268_435_456,
  /** Parts of one prompt of an editor. */
  acpPromptEntries: 256,
  /** How much of a tool's result, or of a file that would be replaced, an editor is shown. */
  acpShownChars: 262_144,
  /** Agents that run at the same time, one for each conversation; for one more the idle one that was used longest ago is ended. */
  acpProcessEntries: 8,
  /** How long an agent is kept without a turn before it is ended; the next message starts it again and resumes. */
  acpIdleMs: 900_000,
  /** Time for an agent to start and agree on the protocol, and for each session that it opens. */
  acpStartMs: 60_000,
  /** What a cancelled agent gets to end its turn by itself; then its process is ended, and the next message resumes. */
  acpCancelMs: 5_000,
  /** Uses of tools that an agent may tell of in one turn. */
  acpUseEntries: 10_000,
  /** Length of an id that an agent gives to a session or a tool call. */
  acpIdChars: 1_024,
  /** Places in files that are told of one tool call. */
  acpLocationEntries: 64,
  /** How long a question that does not say what it is about waits for the agent to tell. */
  acpUntoldMs: 300,
  /** What is held of the uses that have no result yet, all together: their arguments, texts and changes; beyond it new content is left out. */
  acpHeldChars: 8_388_608,
  /** The conversation so far, as it is told to a session that does not know it: the newest of it. */
  acpHistoryChars: 200_000,
  /** Length of one earlier message in it; the rest is cut. */
  acpHistoryMessageChars: 20_000,
  /** Attached content that goes into one prompt; further files are named only. */
  acpAttachedBytes: 6_291_456,
  /** Questions of one agent that may be open at the same time; a further one is answered as cancelled. */
  acpQuestionEntries: 32,
  /** Options of an agent that are listed, and values of each. */
  acpOptionEntries: 256,
};
