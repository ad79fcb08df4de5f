// The wire view: every message of the protocol, as it passes. It can be narrowed down to a conversation, a
// kind and a text, and saved as NDJSON.

import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../components/icon.tsx";
import { usePage, usePageParts } from "../session/page-context.ts";
import { filterEntries, toNdjson } from "../state/wire-log.ts";
import { WireRows } from "./wire-rows.tsx";

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
        <h2 className="flex-1 text-[0.95rem] font-semibold">On the wire</h2>
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
