// The conversations: a new one, a search, and the list of all, the latest first.

import { useState } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { Button } from "./icon.tsx";

interface SidebarProps {
  /** Something was chosen; a drawer closes. */
  onChosen(): void;
}

export function Sidebar({ onChosen }: SidebarProps) {
  const { session } = usePageParts();
  const conversations = usePage((state) => state.conversations);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = conversations.filter(({ title }) => title.toLowerCase().includes(wanted));
  function choose(conversationId?: string): void {
    session.open(conversationId);
    onChosen();
  }
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3">
      <p className="flex items-center gap-2 px-1 text-[0.95rem] font-semibold tracking-tight">
        <span aria-hidden="true" className="strand h-5 w-1.5 rounded-full" /> Hawser
      </p>
      <Button label="New conversation" icon="plus" className="button-main w-full" onClick={() => choose()} />
      <input
        id="conversation-search"
        type="search"
        aria-label="Search conversations"
        placeholder="Search"
        className="field w-full"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <nav aria-label="Conversations" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        <ul className="space-y-0.5">
          {found.map((summary) => (
            <ConversationRow key={summary.conversationId} summary={summary} onOpen={choose} />
          ))}
        </ul>
        {found.length === 0 && (
          <p className="px-2 py-4 text-sm text-soft">
            {wanted === "" ? "Conversations appear here." : "No conversation has this in its title."}
          </p>
        )}
      </nav>
    </div>
  );
}
