// The keys of the page: one table, which is both what works and what the list of keys shows.

export type KeyAction =
  | "new"
  | "search"
  | "message"
  | "wire"
  | "theme"
  | "latest"
  | "allow"
  | "deny"
  | "previous"
  | "next"
  | "stop"
  | "keys"
  | "sidebar"
  | "settings"
  | "quit";

interface PageKey {
  readonly action: KeyAction;
  readonly shown: readonly string[];
  readonly meaning: string;
  /** In a desktop window; a browser has its own. */
  readonly isOfDesktop?: true;
  matches(event: KeyboardEvent): boolean;
}

/** Told to the list of messages, which alone knows how to scroll. */
export const jumpEvent = "hawser-jump";

/** Told to the question on the screen, with the answer as its detail. */
export const answerEvent = "hawser-answer";

/** "Always" has no shortcut: a decision that lasts deserves more than a key. */
export const answerKeys = { allow: ["Alt", "Y"], deny: ["Alt", "X"] } as const;

// By the place of the key, since Alt makes other characters on some keyboards.
const alt = (code: string) => (event: KeyboardEvent) => event.altKey && !event.ctrlKey && !event.metaKey && event.code === code;

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);

const isMac = (): boolean => navigator.userAgent.includes("Mac");

/**
 * What is typed never answers. So the letter counts, not the place of the key, where keyboards write Latin letters; and
 * on a Mac, where Option writes other characters, only while no text is being written.
 */
function answers(letter: string) {
  return (event: KeyboardEvent): boolean => {
    const { altKey, ctrlKey, metaKey, shiftKey, repeat, isComposing, key, code } = event;
    if (!altKey || ctrlKey || metaKey || shiftKey || repeat || isComposing || (isMac() && isTyping(event))) return false;
    return /^[a-z]$/i.test(key) ? key.toUpperCase() === letter : code === `Key${letter}`;
  };
}

export const pageKeys: readonly PageKey[] = [
  { action: "new", shown: ["Alt", "N"], meaning: "New conversation", matches: alt("KeyN") },
  { action: "search", shown: ["Alt", "K"], meaning: "Search conversations", matches: alt("KeyK") },
  { action: "previous", shown: ["Alt", "↑"], meaning: "Previous conversation", matches: alt("ArrowUp") },
  { action: "next", shown: ["Alt", "↓"], meaning: "Next conversation", matches: alt("ArrowDown") },
  { action: "message", shown: ["Alt", "M"], meaning: "Go to the message box", matches: alt("KeyM") },
  { action: "latest", shown: ["Alt", "J"], meaning: "Jump to the latest message", matches: alt("KeyJ") },
  { action: "allow", shown: answerKeys.allow, meaning: "Allow once what the question shows", matches: answers("Y") },
  { action: "deny", shown: answerKeys.deny, meaning: "Deny what the question shows", matches: answers("X") },
  { action: "wire", shown: ["Alt", "W"], meaning: "Show or hide the wire view", matches: alt("KeyW") },
  { action: "theme", shown: ["Alt", "L"], meaning: "Light, dark, or as the system", matches: alt("KeyL") },
  { action: "settings", shown: ["Alt", ","], meaning: "Settings", isOfDesktop: true, matches: alt("Comma") },
  {
    action: "quit",
    shown: ["Ctrl", "Q"],
    meaning: "Quit, with Cmd on a Mac",
    isOfDesktop: true,
    matches: (event) => (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "q",
  },
  { action: "stop", shown: ["Esc"], meaning: "Stop the answer", matches: (event) => event.key === "Escape" },
  {
    action: "keys",
    shown: ["?"],
    meaning: "This list; Alt / while writing",
    matches: (event) => alt("Slash")(event) || (event.key === "?" && !isTyping(event) && !event.altKey && !event.ctrlKey && !event.metaKey),
  },
];

/** Keys that work where they are, and are only listed. */
export const localKeys: readonly { readonly shown: readonly string[]; readonly meaning: string }[] = [
  { shown: ["Enter"], meaning: "Send the message" },
  { shown: ["Shift", "Enter"], meaning: "New line in the message" },
  { shown: ["F2"], meaning: "On a conversation: rename" },
  { shown: ["Delete"], meaning: "On a conversation: delete" },
];
