// The keys of the page: one table, which is both what works and what the list of keys shows. They work wherever the focus
// is, but in a dialog, which has its own.

import { useEffect } from "react";
import { useHasSettings, usePageParts, type PageParts } from "../session/page-context.ts";
import { Dialog } from "./dialog.tsx";

/** What the page can show, hide or change besides the conversation. */
export type Switches = Readonly<Record<"wire" | "theme" | "keys" | "sidebar" | "folder" | "setting" | "changes", () => void>> & {
  readonly settings?: () => void;
};

interface PageKey {
  readonly shown: readonly string[];
  readonly meaning: string;
  /** In a desktop window; a browser has its own. */
  readonly isOfDesktop?: true;
  /** Where there are settings: of the desktop app, or of the runtime. */
  readonly isOfSettings?: true;
  /** It is not taken from what else it does: Escape also leaves a search field or a list of choices. */
  readonly isShared?: true;
  matches(event: KeyboardEvent): boolean;
  run(parts: PageParts, switches: Switches): void;
}

export function usePageKeys(switches: Switches): void {
  const parts = usePageParts();
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const key = pageKeys.find(({ isOfDesktop, matches }) => matches(event) && (!isOfDesktop || parts.desktop));
      if (!key) return;
      if (!key.isShared) event.preventDefault();
      key.run(parts, switches);
    }
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
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

/**
 * What is typed never answers. So the letter counts, not the place of the key, where keyboards write Latin letters; and
 * on a Mac, where Option writes other characters, only while no text is being written.
 */
function answers(letter: string) {
  return (event: KeyboardEvent): boolean => {
    const { altKey, ctrlKey, metaKey, shiftKey, repeat, isComposing, key, code } = event;
    const isMac = navigator.userAgent.includes("Mac");
    if (!altKey || ctrlKey || metaKey || shiftKey || repeat || isComposing || (isMac && isTyping(event))) return false;
    return /^[a-z]$/i.test(key) ? key.toUpperCase() === letter : code === `Key${letter}`;
  };
}

/** What is in a closed drawer is there after it has opened. */
function focusOn(id: string, reveal?: () => void): void {
  const find = (): HTMLElement | null => document.querySelector(`#${id}`);
  const element = find();
  if (element) element.focus();
  else if (reveal) {
    reveal();
    requestAnimationFrame(() => find()?.focus());
  }
}

export const clickOn = (id: string): void => document.querySelector<HTMLElement>(`#${id}`)?.click();

function openNeighbour(session: PageParts["session"], step: number): void {
  const { conversations, currentId } = session.store.getState();
  const at = conversations.findIndex(({ conversationId }) => conversationId === currentId);
  const neighbour = conversations[at < 0 ? 0 : at + step];
  if (neighbour) session.open(neighbour.conversationId);
}

const tell = (name: string, detail?: string): boolean => dispatchEvent(new CustomEvent(name, { detail }));

function reviewChanges({ session }: PageParts, { changes }: Switches): void {
  if (session.store.getState().runtime?.info.capabilities.includes("changes")) changes();
}

const pageKeys: readonly PageKey[] = [
  { shown: ["Alt", "N"], meaning: "New conversation", matches: alt("KeyN"), run: ({ actions }) => actions.begin() },
  {
    shown: ["Alt", "K"],
    meaning: "Search conversations",
    matches: alt("KeyK"),
    run: (_, { sidebar }) => focusOn("conversation-search", sidebar),
  },
  { shown: ["Alt", "↑"], meaning: "Previous conversation", matches: alt("ArrowUp"), run: ({ session }) => openNeighbour(session, -1) },
  { shown: ["Alt", "↓"], meaning: "Next conversation", matches: alt("ArrowDown"), run: ({ session }) => openNeighbour(session, 1) },
  { shown: ["Alt", "M"], meaning: "Go to the message box", matches: alt("KeyM"), run: () => focusOn("message-box") },
  { shown: ["Alt", "A"], meaning: "Choose a model or an agent", matches: alt("KeyA"), run: () => clickOn("model-picker") },
  { shown: ["Alt", "O"], meaning: "Choose the folder to work in", matches: alt("KeyO"), run: (_, { folder }) => folder() },
  { shown: ["Alt", "R"], meaning: "Review what was changed in files", matches: alt("KeyR"), run: reviewChanges },
  { shown: ["Alt", "J"], meaning: "Jump to the latest message", matches: alt("KeyJ"), run: () => tell(jumpEvent) },
  { shown: answerKeys.allow, meaning: "Allow once what the question shows", matches: answers("Y"), run: () => tell(answerEvent, "allow") },
  { shown: answerKeys.deny, meaning: "Deny what the question shows", matches: answers("X"), run: () => tell(answerEvent, "deny") },
  { shown: ["Alt", "W"], meaning: "Show or hide the wire view", matches: alt("KeyW"), run: (_, { wire }) => wire() },
  { shown: ["Alt", "L"], meaning: "Light, dark, or as the system", matches: alt("KeyL"), run: (_, { theme }) => theme() },
  { shown: ["Alt", ","], meaning: "Settings", isOfSettings: true, matches: alt("Comma"), run: (_, { settings }) => settings?.() },
  {
    shown: ["Ctrl", "Q"],
    meaning: "Quit, with Cmd on a Mac",
    isOfDesktop: true,
    matches: (event) => (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "q",
    run: ({ desktop }) => void desktop?.quit(),
  },
  {
    shown: ["Esc"],
    meaning: "Stop the answer",
    isShared: true,
    matches: ({ key }) => key === "Escape",
    run: ({ actions }) => actions.stop(),
  },
  {
    shown: ["?"],
    meaning: "This list; Alt / while writing",
    matches: (event) => alt("Slash")(event) || (event.key === "?" && !isTyping(event) && !event.altKey && !event.ctrlKey && !event.metaKey),
    run: (_, { keys }) => keys(),
  },
];

/** Keys that work where they are, and are only listed. */
const localKeys: readonly { readonly shown: readonly string[]; readonly meaning: string }[] = [
  { shown: ["Enter"], meaning: "Send the message" },
  { shown: ["Ctrl", "Enter"], meaning: "Say it to the turn that runs" },
  { shown: ["Shift", "Enter"], meaning: "New line in the message" },
  { shown: ["/", "@"], meaning: "In the message: commands, files" },
  { shown: ["←", "→"], meaning: "In a question: the other answers" },
  { shown: ["F2"], meaning: "On a conversation: rename" },
  { shown: ["Delete"], meaning: "On a conversation: delete" },
];

export function Keys({ keys, isHidden }: { readonly keys: readonly string[]; readonly isHidden?: true }) {
  return keys.map((key) => (
    <kbd key={key} className="key" aria-hidden={isHidden}>
      {key}
    </kbd>
  ));
}

/** The list of all keys. */
export function KeysDialog({ onClose }: { onClose(): void }) {
  const { desktop } = usePageParts();
  const hasSettings = useHasSettings() || desktop !== undefined;
  const keys = pageKeys.filter(({ isOfDesktop, isOfSettings }) => (!isOfDesktop || desktop) && (!isOfSettings || hasSettings));
  return (
    <Dialog label="Keys" hasHeading className="w-[min(48rem,94vw)] rounded-2xl border border-line p-5" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1.5 text-sm sm:grid-cols-[auto_1fr_auto_1fr]">
        {[...keys, ...localKeys].map(({ shown, meaning }) => (
          <div key={meaning} className="contents">
            <dt className="flex gap-1">
              <Keys keys={shown} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
