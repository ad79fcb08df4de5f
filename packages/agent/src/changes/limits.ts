// Every bound of undo: one name, one default, one reason. Names end in their unit. `docs/limits.md` is generated from this file: the
// comment above a number is its reason there.

export const undoLimits = {
  /** A larger file is known to undo by its size and time only: that it has changed is told, its content is not kept. */
  undoFileBytes: 1_048_576,
  /** Contents that undo keeps of one root. Where they run out, the oldest turns can no longer be reverted; then new files are not kept. */
  undoRootBytes: 524_288_000,
  /** Contents of all roots together; the root that was used longest ago goes first. */
  undoFolderBytes: 2_147_483_648,
  /** Roots that undo knows; the one that was used longest ago goes first. */
  undoStoreEntries: 64,
  /** Files and folders of one root that undo knows; the others are not tracked. */
  undoTreeEntries: 200_000,
  /** Changes in one answer to `list_changes`; the earliest do not fit, and are counted. */
  undoListedEntries: 5_000,
  /** Diffs in one answer to `list_changes`: it is one line. Those that do not fit are left out and counted. */
  undoDiffChars: 2_097_152,
  /** What one answer names of files and folders that are not tracked; the rest is counted. */
  undoUntrackedEntries: 200,
  /** Paths in one `revert_changes`. */
  undoPathEntries: 1_000,
  /** What is read at most for a look at a root right where it is asked, without the thread: contents, the log, and 2 KiB for each file and folder that is only looked at. */
  undoNearBytes: 262_144,
  /** Looks at one root that wait for the one that is under way. */
  undoWaitingEntries: 256,
  /** How long a look waits for another process that looks at the same root. */
  undoLockMs: 120_000,
  /** How long a turn looks at files before its host is told so. */
  undoSilentMs: 1_000,
  /** How long the end of a turn waits for a cancelled tool to stop, before it looks at what that has changed. */
  undoSettleMs: 1_000,
  /** A thread that looks at trees without work for so long is ended. */
  undoThreadIdleMs: 300_000,
  /** The memory of that thread: a tree of `undoTreeEntries` fits. */
  undoThreadBytes: 536_870_912,
};
