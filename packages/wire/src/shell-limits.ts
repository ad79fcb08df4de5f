// The bounds of the shell's local server. Part of `limits`.

export const shellLimitTable = {
  shellConnections: {
    value: 32,
    reason: "Tabs that are connected at the same time.",
  },
  shellPingMs: {
    value: 30_000,
    reason: "How often a connected tab is asked whether it is still there.",
  },
  shellRequestMs: {
    value: 15_000,
    reason:
      "Time for the head of a request to arrive, and for an idle connection to be used again; a whole request may take four times as long.",
  },
  shellHeadBytes: {
    value: 16_384,
    reason: "Address and headers of one request to the local server.",
  },
  shellFileBytes: {
    value: 10_485_760,
    reason: "A file that is dropped on the page.",
  },
  shellFilesBytes: {
    value: 268_435_456,
    reason: "All files that are dropped on the page during one launch.",
  },
};
