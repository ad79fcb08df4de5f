// The wire view: every message of the protocol, as it passes. It can be narrowed down to a conversation, a
// kind and a text, and saved as NDJSON.

import { cutText, reveal } from "@hawser/protocol/internal";
import { memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../components/icon.tsx";
import { useStickToBottom } from "../components/use-stick-to-bottom.ts";
import { CopyButton } from "../markdown/copy-button.tsx";
import { usePage, usePageParts } from "../session/page-context.ts";
import type { WireEntry } from "../state/page-state.ts";
import { filterEntries, groupEntries, textOfGroup, toNdjson, type WireGroup } from "../state/wire-log.ts";
import { formatDuration } from "../tools/describe-call.ts";

export function WireView({ onClose }: { onClose(): void }) {
  const { session } = usePageParts();
  const { entries, dropped } = useDeferredValue(usePage((state) => state.wire));
  const currentId = usePage((state) => state.currentId);
  const [isAll, setIsAll] = useState(false);
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const filterField = useRef<HTMLInputElement>(null);
  useEffect(() => filterField.current?.focus(), []);
  const names = useMemo(() => [...new Set(entries.map((entry) => entry.name))].toSorted(), [entries]);
  const shown = useMemo(
    () => filterEntries(entries, { conversationId: isAll ? undefined : currentId, name, text }),
    [entries, isAll, currentId, name, text],
  );
  return (
    <aside
      aria-label="Protocol messages"
      className="fixed inset-0 z-20 flex flex-col border-l border-line bg-sheet lg:static lg:z-auto lg:w-[30rem] lg:shrink-0"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="flex items-center gap-1 border-b border-line px-3 py-1.5">
        <h2 className="flex-1 text-base font-semibold">On the wire</h2>
        <Button label="Export" className="button-quiet text-xs" onClick={() => download(toNdjson(shown))} />
        <Button label="Clear" className="button-quiet text-xs" onClick={() => session.store.dispatch({ type: "wire_cleared" })} />
        <IconButton name="close" label="Close wire view" onClick={onClose} />
      </div>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <input
          ref={filterField}
          type="search"
          aria-label="Filter by text"
          placeholder="Filter"
          className="field flex-1 basis-28"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select aria-label="Filter by type" className="field" value={name} onChange={(event) => setName(event.target.value)}>
          <option value="">all types</option>
          {names.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <label className="flex items-center gap-1.5 text-xs">
          <input type="checkbox" className="accent-sea" checked={isAll} onChange={(event) => setIsAll(event.target.checked)} />
          all conversations
        </label>
      </div>
      <WireRows entries={shown} startedAt={entries[0]?.at ?? 0} />
      <p className="border-t border-line px-3 py-1.5 text-xs text-soft">
        {shown.length} of {entries.length} messages{dropped > 0 && `; the ${dropped} oldest are no longer held`}
      </p>
    </aside>
  );
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "hawser-wire.ndjson";
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const step = 300;

/** The latest are drawn; earlier ones on demand. */
function WireRows({ entries, startedAt }: { readonly entries: readonly WireEntry[]; readonly startedAt: number }) {
  const { scroller, content, follow, onScroll } = useStickToBottom("");
  const [count, setCount] = useState(step);
  const groups = useMemo(() => groupEntries(entries), [entries]);
  const shown = groups.slice(-count);
  useLayoutEffect(follow, [follow, entries]);
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Messages on the wire"
      // Texts for screen readers are placed: without a place here they would make the page itself scroll.
      className="relative min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
      onScroll={onScroll}
    >
      <div ref={content}>
        {shown.length < groups.length && (
          <Button
            label={`Show earlier (${groups.length - shown.length})`}
            className="button-quiet w-full text-xs"
            onClick={() => setCount(count + step)}
          />
        )}
        <ol className="font-mono text-xs">
          {shown.map((group, at) => (
            <WireRow
              key={group.first.number}
              group={group}
              sinceStart={group.first.at - startedAt}
              sincePrevious={group.first.at - (shown[at - 1]?.entries.at(-1)?.at ?? group.first.at)}
            />
          ))}
        </ol>
        {shown.length === 0 && <p className="p-4 text-sm text-soft">Nothing has passed yet, or nothing fits the filter.</p>}
      </div>
    </div>
  );
}

const ways = {
  sent: { sign: "→", said: "sent", className: "text-sea" },
  received: { sign: "←", said: "received", className: "text-leaf" },
  other_tab: { sign: "⇢", said: "sent by another tab", className: "text-rope" },
} as const;

interface WireRowProps {
  readonly group: WireGroup;
  readonly sinceStart: number;
  readonly sincePrevious: number;
}

// The entries of a group stay the same objects; it has changed when it has more of them.
const isSameRow = (before: WireRowProps, after: WireRowProps): boolean =>
  before.group.first === after.group.first &&
  before.group.entries.length === after.group.entries.length &&
  before.sinceStart === after.sinceStart &&
  before.sincePrevious === after.sincePrevious;

const WireRow = memo(function WireRow({ group, sinceStart, sincePrevious }: WireRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { first, entries, chars } = group;
  const { sign, said, className } = ways[first.direction];
  return (
    <li className="border-b border-line/60">
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-8 w-full items-center gap-2 px-3 text-left hover:bg-raised focus-visible:-outline-offset-2"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span aria-hidden="true" className={`w-3 shrink-0 text-center font-bold ${className}`}>
          {sign}
        </span>
        <span className="sr-only">{said}</span>
        <span className={`shrink-0 font-semibold ${className}`}>
          {first.name}
          {entries.length > 1 && <span className="font-normal text-soft"> × {entries.length}</span>}
        </span>
        <span className="min-w-0 flex-1 truncate text-soft">
          {entries.length > 1 ? reveal(JSON.stringify(textOfGroup(group, briefChars))) : brief(first)}
        </span>
        <span className="shrink-0 text-right text-soft" title={`${formatDuration(sinceStart)} since the start`}>
          {(sinceStart / 1_000).toFixed(3)} s <span className="inline-block w-14">+{formatDuration(sincePrevious)}</span>
        </span>
        <span className="w-12 shrink-0 text-right text-soft">{formatSize(chars)}</span>
      </button>
      {isOpen && <WireDetail group={group} />}
    </li>
  );
}, isSameRow);

const briefChars = 80;
const shownLines = 200;

/** One message as it is, several as one line each. */
function WireDetail({ group: { first, entries } }: { readonly group: WireGroup }) {
  const isOne = entries.length === 1;
  const text = isOne ? toText(JSON.stringify(first.value, undefined, 2)) : toNdjson(entries);
  const shown = isOne ? text : toNdjson(entries.slice(0, shownLines));
  return (
    <div className="bg-paper px-3 py-2">
      <div className="flex items-center justify-between text-soft">
        <span className="truncate">{first.id ?? "no id"}</span>
        <CopyButton text={text} label={isOne ? "Copy message as JSON" : "Copy messages as NDJSON"} />
      </div>
      <pre
        tabIndex={0}
        aria-label={isOne ? "Message as JSON" : "Messages as JSON"}
        className="max-h-96 overflow-auto leading-relaxed wrap-anywhere whitespace-pre-wrap"
      >
        {reveal(cutText(shown, detailChars, "… (the rest is in the copy)"))}
      </pre>
      {entries.length > shownLines && !isOne && <p className="text-soft">{entries.length - shownLines} more are in the copy.</p>}
    </div>
  );
}

// A message may have megabytes.
const detailChars = 100_000;

const toText = (json: string | undefined): string => json ?? "undefined";

/** What tells this line from others of its kind. */
function brief({ value, id }: WireEntry): string {
  const { token, message, error, data } = value as Record<string, unknown>;
  if (typeof token === "string") return JSON.stringify(token);
  for (const text of [message, error]) if (typeof text === "string") return cutText(text, 80);
  const { toolName } = (data ?? {}) as Record<string, unknown>;
  if (typeof toolName === "string") return toolName;
  return id?.slice(0, 8) ?? "";
}

const formatSize = (chars: number): string => (chars < 1_000 ? `${chars} B` : `${(chars / 1_000).toFixed(1)} kB`);
