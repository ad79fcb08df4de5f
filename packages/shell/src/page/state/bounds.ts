// What the page holds at most. A tab that is left open for a week must not grow with everything that it saw.

/** Lines that the wire view shows; the oldest go first. */
export const wireLogEntries = 2_000;

/** Characters of all lines in the wire view together. */
export const wireLogChars = 8_000_000;

/** Events of a turn that came before the one that is missing. A turn that lost more is loaded when it has ended. */
export const heldTurnEvents = 5_000;

/** Events of turns that nobody has named yet, while a `subscribe` is under way. */
export const unclaimedEvents = 5_000;

/** Conversations that are kept in memory besides those in which a turn runs. */
export const heldThreads = 8;

/** Notices on the screen at the same time. */
export const shownNotices = 4;

/** Characters of one answer that are shown as Markdown; a longer one is shown as plain text, which costs nothing. */
export const markdownChars = 100_000;
