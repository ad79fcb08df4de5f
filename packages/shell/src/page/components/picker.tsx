// One choice out of several: a button that says what is chosen, and a list that opens above it, in groups, with a search where it
// is long. Names are never cut off in the list, and what can't be chosen says why. It follows the pattern of a combobox with a
// list: the focus stays in one place, and the arrow keys move a mark.

import { reveal } from "@hawser/protocol";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { Button, Icon } from "./icon.tsx";
import { clickOn } from "./keys.tsx";

export interface Choice {
  readonly value: string;
  readonly name: string;
  /** What it means, or why it can't be chosen. */
  readonly note?: string | undefined;
  /** What to do so that it can be chosen. */
  readonly remedy?: Remedy | undefined;
  readonly isAvailable?: boolean;
  readonly group?: string;
}

/** To type elsewhere, or to be set in the settings. */
export type Remedy = { readonly command: string } | "settings";

interface PickerProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  /** Says in the button what is chosen from. */
  readonly isNamed?: boolean;
  readonly id?: string;
  /** Why it can't be opened now. */
  readonly blocked?: string | undefined;
  onOpen?(): void;
  onPick(value: string): void;
}

interface Place {
  readonly left: number;
  readonly bottom: number;
  readonly maxHeight: number;
  readonly width: number;
}

const searchFrom = 8;
const listWidth = 416;
const shortListWidth = 272;
const edge = 12;

export function Picker({ label, choices, value, isNamed = false, id, blocked, onOpen, onPick }: PickerProps) {
  const [place, setPlace] = useState<Place>();
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const shown = reveal(choices.find((choice) => choice.value === value)?.name ?? value);
  function open(): void {
    if (!button.current || blocked !== undefined) return;
    setPlace(placeAbove(button.current, choices.length >= searchFrom ? listWidth : shortListWidth));
    onOpen?.();
  }
  function close(): void {
    setPlace(undefined);
    button.current?.focus();
  }
  useEffect(() => {
    if (!place) return undefined;
    const leave = (): void => setPlace(undefined);
    addEventListener("resize", leave);
    return () => removeEventListener("resize", leave);
  }, [place]);
  return (
    <div
      ref={frame}
      className="min-w-0"
      onBlur={({ relatedTarget }) => (frame.current?.contains(relatedTarget) ? undefined : setPlace(undefined))}
    >
      <button
        ref={button}
        type="button"
        id={id}
        className="chip max-w-64"
        aria-haspopup="dialog"
        aria-expanded={place !== undefined}
        aria-disabled={blocked !== undefined}
        title={blocked ?? shown}
        onClick={() => (place ? close() : open())}
      >
        <span className={isNamed ? "shrink-0 text-soft" : "sr-only"}>{reveal(label)}:</span>
        <span className="truncate">{shown}</span>
        <Icon name="open" className="size-3 text-soft" />
      </button>
      {place && <ChoiceList label={label} choices={choices} value={value} place={place} onPick={onPick} onClose={close} />}
    </div>
  );
}

/** As far to the right as the button, but whole. */
function placeAbove(button: HTMLElement, wanted: number): Place {
  const { left, top } = button.getBoundingClientRect();
  const width = Math.min(wanted, innerWidth - 2 * edge);
  return {
    left: Math.max(edge, Math.min(left, innerWidth - width - edge)),
    bottom: innerHeight - top + 6,
    maxHeight: top - 2 * edge,
    width,
  };
}

interface ChoiceListProps extends Pick<PickerProps, "label" | "choices" | "value" | "onPick"> {
  readonly place: Place;
  onClose(): void;
}

function ChoiceList({ label, choices, value, place, onPick, onClose }: ChoiceListProps) {
  const listId = useId();
  const [search, setSearch] = useState("");
  const [marked, setMarked] = useState(value);
  const hasSearch = choices.length >= searchFrom;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => (hasSearch ? undefined : list.current?.focus()), [hasSearch]);
  const wanted = search.trim().toLowerCase();
  const found = choices.filter(({ name, value: own, group = "" }) => `${name} ${own} ${group}`.toLowerCase().includes(wanted));
  const at = Math.max(
    0,
    found.findIndex((choice) => choice.value === marked),
  );
  const idOf = (place: number): string => `${listId}-${place}`;
  function pick({ value: picked, isAvailable = true }: Choice): void {
    if (!isAvailable) return;
    onPick(picked);
    onClose();
  }
  const remedy = useRef<HTMLDivElement>(null);
  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event;
    // A button there has its own keys.
    if (remedy.current?.contains(event.target as Node) && key !== "Escape") return;
    const isPick = key === "Enter" || (key === " " && !hasSearch);
    if (event.nativeEvent.isComposing || (!(key in steps) && !isPick && key !== "Escape")) return;
    // Neither the page's keys nor the caret: Escape would also stop an answer.
    event.preventDefault();
    if (key === "Escape") return onClose();
    const now = found[at];
    // What can't be chosen has a remedy, whose button is next.
    if (isPick && now?.isAvailable === false) return remedy.current?.querySelector("button")?.focus();
    if (isPick) return now && !event.repeat ? pick(now) : undefined;
    const next = found[steps[key as keyof typeof steps](at, found.length)];
    if (next) setMarked(next.value);
  }
  const navigation = { "aria-controls": listId, "aria-activedescendant": found.length > 0 ? idOf(at) : undefined };
  return (
    <div
      role="dialog"
      aria-label={reveal(label)}
      style={{ ...place }}
      className="fixed z-30 flex flex-col overflow-hidden rounded-xl border border-edge bg-sheet text-sm text-ink shadow-lg"
      onKeyDown={onKeyDown}
    >
      {hasSearch && (
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-label={`Search: ${reveal(label)}`}
          placeholder="Search"
          className="border-b border-line bg-transparent px-3 py-2 outline-none placeholder:text-soft"
          value={search}
          autoFocus
          {...navigation}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div
        role="listbox"
        id={listId}
        aria-label={reveal(label)}
        ref={list}
        tabIndex={hasSearch ? -1 : 0}
        aria-activedescendant={hasSearch ? undefined : navigation["aria-activedescendant"]}
        className="min-h-0 overflow-y-auto p-1 outline-none"
        // The focus stays where the keys are.
        onMouseDown={(event) => event.preventDefault()}
      >
        {found.length === 0 && <p className="px-3 py-2 text-soft">Nothing has this name.</p>}
        {toGroups(found).map(({ name, members }) => (
          <div key={name} role="group" aria-label={name === "" ? reveal(label) : name}>
            {name !== "" && (
              <div aria-hidden="true" className="px-3 pt-2 pb-1 text-xs font-semibold text-soft">
                {name}
              </div>
            )}
            {members.map((choice) => {
              const place = found.indexOf(choice);
              return (
                <ChoiceRow
                  key={choice.value}
                  id={idOf(place)}
                  choice={choice}
                  isChosen={choice.value === value}
                  isMarked={place === at}
                  onMark={() => setMarked(choice.value)}
                  onPick={() => pick(choice)}
                />
              );
            })}
          </div>
        ))}
      </div>
      <div ref={remedy}>{found[at]?.remedy !== undefined && <RemedyRow name={found[at].name} remedy={found[at].remedy} />}</div>
    </div>
  );
}

/** For the one that is marked: an option of a list can hold no button of its own. */
function RemedyRow({ name, remedy }: { readonly name: string; readonly remedy: Remedy }) {
  return (
    <div className="flex items-center gap-2 border-t border-line bg-raised/40 py-1 pr-1 pl-3 text-xs">
      <span className="sr-only">To use {reveal(name)}:</span>
      {remedy === "settings" ? (
        <>
          <span className="min-w-0 flex-1">Its key is set in the settings.</span>
          <Button label="Open the settings" isSmall onClick={() => clickOn("settings-button")} />
        </>
      ) : (
        <>
          <code className="min-w-0 flex-1 font-mono wrap-anywhere">{reveal(remedy.command)}</code>
          <CopyButton text={remedy.command} label={`Copy ${reveal(remedy.command)}`} />
        </>
      )}
    </div>
  );
}

const steps = {
  ArrowDown: (at: number, count: number) => (at + 1) % count,
  ArrowUp: (at: number, count: number) => (at - 1 + count) % count,
  PageDown: (at: number, count: number) => Math.min(at + searchFrom, count - 1),
  PageUp: (at: number) => Math.max(at - searchFrom, 0),
} as const;

interface ChoiceRowProps {
  readonly id: string;
  readonly choice: Choice;
  readonly isChosen: boolean;
  readonly isMarked: boolean;
  onMark(): void;
  onPick(): void;
}

function ChoiceRow({ id, choice, isChosen, isMarked, onMark, onPick }: ChoiceRowProps) {
  const { name, note, isAvailable = true } = choice;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => (isMarked ? row.current?.scrollIntoView({ block: "nearest" }) : undefined), [isMarked]);
  return (
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={!isAvailable}
      className={`flex cursor-pointer gap-2 rounded-lg px-2 py-1.5 ${isMarked ? "bg-sea-wash" : ""} ${isAvailable ? "" : "cursor-default"}`}
      onPointerMove={onMark}
      onClick={onPick}
    >
      <Icon name="check" className={`mt-0.5 size-3.5 text-sea ${isChosen ? "" : "invisible"}`} />
      <span className="min-w-0">
        <span className={`block wrap-anywhere ${isAvailable ? "" : "text-soft"}`}>{reveal(name)}</span>
        {note !== undefined && <span className="block text-xs whitespace-pre-line text-soft wrap-anywhere">{reveal(note)}</span>}
      </span>
    </div>
  );
}

/** In the order in which groups come first. */
function toGroups(choices: readonly Choice[]): { name: string; members: Choice[] }[] {
  const groups = Map.groupBy(choices, ({ group = "" }) => group);
  return [...groups].map(([name, members]) => ({ name, members }));
}
