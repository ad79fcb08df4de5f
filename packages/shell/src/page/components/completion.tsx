// What the composer offers while something is typed: commands of the page behind a slash, files behind an @. The focus stays in the
// text; the arrow keys move a mark, Enter or Tab takes it, Escape closes the list and nothing else.

import { reveal } from "@hawser/protocol";
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { Icon } from "./icon.tsx";
import { commandsFor, type PageCommand } from "./page-commands.ts";

export interface CompletionPlace {
  readonly kind: "command" | "file";
  /** What is typed of it. */
  readonly query: string;
  /** Where it stands in the text, with its sign. */
  readonly from: number;
  readonly to: number;
}

/** What is being typed where the caret stands, if it is something that can be completed. */
export function placeAt(text: string, caret: number): CompletionPlace | undefined {
  const before = text.slice(0, caret);
  const [, command] = /^\/([\w-]*)$/.exec(before) ?? [];
  if (command !== undefined) return { kind: "command", query: command, from: 0, to: caret };
  const [, file] = /(?:^|\s)@([^\s@]*)$/.exec(before) ?? [];
  return file === undefined ? undefined : { kind: "file", query: file, from: caret - file.length - 1, to: caret };
}

export interface Completion {
  readonly key: string;
  readonly name: string;
  readonly note?: string;
  readonly command?: PageCommand;
}

const typingMs = 80;

export function useCompletion(text: string, caret: number, onTake: (completion: Completion, place: CompletionPlace) => void) {
  const [closedFor, setClosedFor] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const place = placeAt(text, caret);
  const all = useOffers(place);
  // What was closed stays closed until another one is begun.
  const sign = place ? `${place.kind}${place.from}` : "";
  const offers = sign !== "" && sign !== closedFor ? all : [];
  const marked = Math.min(at, offers.length - 1);
  useEffect(() => setAt(0), [place?.query, sign]);
  useEffect(() => (sign === "" ? setClosedFor("") : undefined), [sign]);

  function take(completion: Completion | undefined): void {
    if (completion && place) onTake(completion, place);
  }
  /** Whether the key was meant for the list. */
  function onKeyDown(event: KeyboardEvent): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isTake = event.key === "Tab" || (event.key === "Enter" && !event.shiftKey);
    if (offers.length === 0 || event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return false;
    if (step === undefined && !isTake && event.key !== "Escape") return false;
    event.preventDefault();
    if (event.key === "Escape") setClosedFor(sign);
    else if (step !== undefined) setAt((marked + step + offers.length) % offers.length);
    else take(offers[marked]);
    return true;
  }
  const optionId = (index: number): string => `${listId}-${index}`;
  return {
    onKeyDown,
    /** For the text box. */
    aria: {
      "aria-autocomplete": "list" as const,
      "aria-controls": offers.length > 0 ? listId : undefined,
      "aria-activedescendant": offers.length > 0 ? optionId(marked) : undefined,
    },
    list: offers.length > 0 && (
      <div className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-y-auto rounded-xl border border-edge bg-sheet p-1 text-sm shadow-lg">
        <ul
          role="listbox"
          id={listId}
          aria-label={place?.kind === "command" ? "Commands" : "Files"}
          // The focus stays in the text.
          onMouseDown={(event) => event.preventDefault()}
        >
          {offers.map((offer, index) => (
            <Offer key={offer.key} id={optionId(index)} offer={offer} isMarked={index === marked} onTake={() => take(offer)} />
          ))}
        </ul>
      </div>
    ),
  };
}

interface OfferProps {
  readonly id: string;
  readonly offer: Completion;
  readonly isMarked: boolean;
  onTake(): void;
}

function Offer({ id, offer: { name, note, command }, isMarked, onTake }: OfferProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isMarked}
      ref={(element) => (isMarked ? element?.scrollIntoView({ block: "nearest" }) : undefined)}
      className={`flex cursor-pointer items-center gap-2 rounded-lg px-2 py-1.5 ${isMarked ? "bg-sea-wash" : "hover:bg-raised"}`}
      onClick={onTake}
    >
      {!command && <Icon name={name.endsWith("/") ? "folder" : "file"} className="size-3.5 text-soft" />}
      <span className="min-w-0 shrink-0 font-mono text-xs wrap-anywhere">{reveal(name)}</span>
      {note !== undefined && <span className="min-w-0 truncate text-xs text-soft">{note}</span>}
    </li>
  );
}

/** Commands at once; files as soon as the runtime has found them, and only the latest answer counts. */
function useOffers(place: CompletionPlace | undefined): readonly Completion[] {
  const { actions } = usePageParts();
  const capabilities = usePage(({ runtime }) => runtime?.info.capabilities);
  const [files, setFiles] = useState<readonly string[]>([]);
  const isFile = place?.kind === "file";
  const query = place?.query ?? "";
  useEffect(() => {
    if (!isFile) return setFiles([]);
    let isOld = false;
    const timer = setTimeout(() => void actions.findFiles(query).then((found) => (isOld ? undefined : setFiles(found))), typingMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [actions, isFile, query]);
  if (isFile) return files.map((name) => ({ key: name, name }));
  if (!place) return [];
  return commandsFor(capabilities ?? [])
    .filter(({ name }) => name.startsWith(query.toLowerCase()))
    .map((command) => ({ key: command.name, name: `/${command.name}`, note: command.meaning, command }));
}
