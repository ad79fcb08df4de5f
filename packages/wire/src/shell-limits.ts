// The bounds of the shell: of its local server, and of what the page holds and draws. Part of `limits`.

export const shellLimitTable = {
  shellConnections: {
    value: 32,
    reason: "Tabs that are connected at the same time.",
  },
  shellStrangerEntries: {
    value: 512,
    reason:
      "Connections to the local server that have not shown a credential, but at most half of the files that the process may open; a further one closes the oldest, so that idle ones keep nobody out.",
  },
  shellCredentialEntries: {
    value: 64,
    reason: "Credentials of pages; a further one ends the one that was not used for longest, never that of a connected tab.",
  },
  shellKeyEntries: {
    value: 64,
    reason: "Keys of printed addresses that the server knows, used or not, and as many of tabs; the oldest goes first.",
  },
  shellKeyMs: {
    value: 60_000,
    reason: "How long a key can be used that an open tab has asked for another one.",
  },
  shellOpenMs: {
    value: 60_000,
    reason: "How long the file that leads a browser to the page waits to be used.",
  },
  shellPingMs: {
    value: 30_000,
    reason: "How often a connected tab is asked whether it is still there; one that has not answered by the next time is closed.",
  },
  shellUnreadBytes: {
    value: 1_048_576,
    reason: "What a tab has not read yet when the runtime begins to wait for it.",
  },
  shellSlowMs: {
    value: 5_000,
    reason: "How long the runtime waits for a tab that does not read; then the tab is closed.",
  },
  shellCloseMs: {
    value: 1_000,
    reason: "Time for a tab to agree that its connection is closed.",
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
  shellWireEntries: {
    value: 2_000,
    reason: "Lines that the page's wire view holds; the oldest go first.",
  },
  shellWireChars: {
    value: 8_000_000,
    reason: "Characters of all lines in the wire view together.",
  },
  shellHeldEntries: {
    value: 5_000,
    reason: "Events of a turn that came to the page before one that is missing, or before their turn was named; then the history is asked.",
  },
  shellThreadEntries: {
    value: 8,
    reason: "Conversations that the page keeps in memory besides those in which a turn runs.",
  },
  shellNoticeEntries: {
    value: 4,
    reason: "Notices on the page at the same time.",
  },
  shellMarkdownChars: {
    value: 100_000,
    reason: "An answer that is shown as Markdown; a longer one is shown as plain text, which costs nothing.",
  },
  shellBlockChars: {
    value: 20_000,
    reason: "A part of an answer that is read as Markdown at once; time grows faster than length.",
  },
  shellBlockSignEntries: {
    value: 2_000,
    reason: "Signs of Markdown in such a part (`*`, `_`, `[`, a backtick …): each may begin or end something, and has to be tried.",
  },
  shellNestingEntries: {
    value: 32,
    reason: "Quotes and lists inside each other at the beginning of one line.",
  },
  shellColumnEntries: {
    value: 64,
    reason: "Columns of a table: every row gets all of them, however short it is.",
  },
  shellImageChars: {
    value: 8_000_000,
    reason: "An image in a tool's result, as the base64 text in which it comes; a larger one is named, not drawn.",
  },
};
