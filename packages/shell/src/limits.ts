// Every bound of the shell: its server and its page: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const shellLimits = {
  /** Tabs that are connected at the same time. */
  shellConnections: 32,
  /** Connections to the local server that have not shown a credential, but at most half of the files that the process may open; a further one closes the oldest, so that idle ones don't keep new ones out. */
  shellStrangerEntries: 512,
  /** Credentials of pages; a further one ends the one that was not used for longest, never that of a connected tab. */
  shellCredentialEntries: 64,
  /** Keys of printed addresses that the server knows, used or not, and as many of tabs; the oldest goes first. */
  shellKeyEntries: 64,
  /** How long a key can be used that an open tab has asked for another one. */
  shellKeyMs: 60_000,
  /** How often a connected tab is asked whether it is still there; one that has not answered by the next time is closed. */
  shellPingMs: 30_000,
  /** What a tab has not read yet when the runtime begins to wait for it. */
  shellUnreadBytes: 1_048_576,
  /** How long the runtime waits for a tab that does not read; then the tab is closed. */
  shellSlowMs: 5_000,
  /** What the messages of all tabs hold together: those that have not come to their end, and those that the runtime and the other tabs have not taken. Beyond it they are read one after the other. */
  shellHeldBytes: 16_777_216,
  /** What a tab has to go on with an unfinished message from one ping to the next while it holds others up, since all of the above is used; one that does less is closed. */
  shellGoOnBytes: 1_048_576,
  /** Time for a tab to agree that its connection is closed. */
  shellCloseMs: 1_000,
  /** Time for the head of a request to arrive, and for an idle connection to be used again; a whole request may take four times as long. */
  shellRequestMs: 15_000,
  /** Address and headers of one request to the local server. */
  shellHeadBytes: 16_384,
  /** A file that is dropped on the page. */
  shellFileBytes: 10_485_760,
  /** All files that are dropped on the page during one launch. */
  shellFilesBytes: 268_435_456,
  /** Lines that the page's wire view holds; the oldest go first. */
  shellWireEntries: 2_000,
  /** Characters of all lines in the wire view together. */
  shellWireChars: 8_000_000,
  /** How long the typing of a search over all conversations pauses before it is asked. */
  shellSearchQuietMs: 150,
  /** Messages that such a search lists. */
  shellSearchEntries: 50,
  /** When it is asked again, while conversations are left that the runtime has not read. */
  shellSearchAgainMs: 1_000,
  /** How often it is asked again. */
  shellSearchAgainEntries: 60,
  /** For so many frames a message that was searched for is held in the middle, while what is around it is drawn for the first time. */
  shellSoughtFrames: 40,
  /** Conversations that the page keeps in memory besides those in which a turn runs. */
  shellThreadEntries: 8,
  /** Notices on the page at the same time. */
  shellNoticeEntries: 4,
  /** An answer that is shown as Markdown; a longer one is shown as plain text, which costs nothing. */
  shellMarkdownChars: 100_000,
  /** A part of an answer that is read as Markdown at once; time grows faster than length. */
  shellBlockChars: 20_000,
  /** Signs of Markdown in such a part (`*`, `_`, `[`, a backtick …): each may begin or end something, and has to be tried. */
  shellBlockSignEntries: 2_000,
  /** Quotes and lists inside each other at the beginning of one line. */
  shellNestingEntries: 32,
  /** Columns of a table: every row gets all of them, however short it is. */
  shellColumnEntries: 64,
  /** Code that gets colours; longer code stays as it is. */
  shellHighlightChars: 50_000,
  /** Pieces of code that wait for their colours; the oldest have scrolled away and stay without. */
  shellHighlightEntries: 64,
  /** How long one piece of code may take to get its colours; then it stays without. */
  shellHighlightMs: 2_000,
  /** An image in a tool's result, as the base64 text in which it comes; a larger one is named, not drawn. */
  shellImageChars: 8_000_000,
};
