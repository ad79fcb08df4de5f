// Every bound of the tool bridge: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const bridgeLimits = {
  /** Calls that one bridge process carries at the same time, each on a connection of its own. */
  bridgeConnections: 8,
  /** After a bridge's client closed its end: time for running calls before they are cancelled. */
  bridgeEofGraceMs: 2_000,
  /** How often a bridge with `--follow` looks whether the program was restarted with other tools. */
  bridgeFollowMs: 1_000,
  /** Silence of a running tool after which its client, if it asked for progress, is told that it lives. */
  progressHeartbeatMs: 15_000,
  /** A tool result as the bridge sends it to its client; a larger one goes to a file, since clients close the connection over long lines. */
  maxResultBytes: 4_000_000,
  /** Bytes of large results that one bridge process keeps in files. */
  maxSpillBytes: 268_435_456,
  /** How much of a large result is shown beside the link to its file. */
  spillPreviewChars: 2_000,
};
