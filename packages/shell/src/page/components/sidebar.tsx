// The conversations: a new one, a search over titles and over everything that was said, and the list of all, the latest first. Each is
// a row of its own.

import { reveal } from "@hawser/protocol";
import { useRef, useState, type KeyboardEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { nameOfFolder, toProjects, type Project } from "../session/workspaces.ts";
import { SearchResults } from "../search/search-results.tsx";
import { useSearch } from "../search/use-search.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { Button, Icon, IconButton } from "./icon.tsx";

/** `onChosen`: a drawer closes then. */
export function Sidebar({ onChosen }: { onChosen(): void }) {
  const { session, actions } = usePageParts();
  const [search, setSearch] = useState("");
  const found = useSearch(search);
  const all = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  function choose(conversationId: string, messageId?: string): void {
    session.open(conversationId, messageId);
    onChosen();
  }
  function begin(folder?: string): void {
    actions.begin(folder);
    onChosen();
  }
  /** The arrow keys lead from the field through everything that is listed, and back. */
  function onKeyDown(event: KeyboardEvent): void {
    // Enter does not take what was found for earlier words.
    const isOld = event.key === "Enter" && found !== undefined && found.query !== search;
    const links = [...(all.current?.querySelectorAll<HTMLElement>(isOld ? "nav a" : "a") ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    const isField = document.activeElement === field.current;
    const to = { ArrowDown: links[at + 1], ArrowUp: at > 0 ? links[at - 1] : field.current, Enter: isField ? links[0] : undefined }[
      event.key
    ];
    if (!to || event.altKey || event.nativeEvent.isComposing || (at < 0 && !isField)) return;
    event.preventDefault();
    if (event.key === "Enter") to.click();
    else to.focus();
  }
  /** Escape leaves the search, and does not stop an answer with the same key. */
  function onEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || search === "") return;
    event.preventDefault();
    event.stopPropagation();
    setSearch("");
    field.current?.focus();
  }
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3" onKeyDown={onKeyDown} onKeyDownCapture={onEscape}>
      <p className="flex items-center gap-2 px-1 text-base font-semibold tracking-tight">
        <span aria-hidden="true" className="strand h-5 w-1.5 rounded-full" /> Hawser
      </p>
      <Button label="New conversation" icon="plus" className="button-main w-full" onClick={() => begin()} />
      <input
        ref={field}
        id="conversation-search"
        type="search"
        aria-label="Search conversations"
        placeholder="Search (Alt K)"
        className="field w-full"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div ref={all} className="-mx-1 min-h-0 flex-1 space-y-4 overflow-y-auto px-1">
        <ConversationList search={search} hasMessages={(found?.matches.length ?? 0) > 0} onOpen={choose} onBegin={begin} />
        {found && <SearchResults found={found} onOpen={choose} />}
      </div>
    </div>
  );
}

interface ConversationListProps {
  readonly search: string;
  /** What is searched for was found elsewhere. */
  readonly hasMessages: boolean;
  onOpen(conversationId: string): void;
  onBegin(folder: string): void;
}

/** All of them, or those whose titles hold what is searched for. */
function ConversationList({ search, hasMessages, onOpen, onBegin }: ConversationListProps) {
  const conversations = usePage((state) => state.conversations);
  const currentId = usePage((state) => state.currentId);
  const home = usePage(({ link }) => link.root);
  const wanted = search.trim().toLowerCase();
  // A folder may have been chosen for a conversation in which nothing was said yet.
  const begun = conversations.filter(({ conversationId, messages }) => messages > 0 || conversationId === currentId);
  const found = begun.filter(({ title }) => title.toLowerCase().includes(wanted));
  const projects = toProjects(found, home);
  return (
    <nav aria-label="Conversations">
      {projects.map((project) => (
        <ProjectGroup
          key={project.folder ?? ""}
          project={project}
          isNamed={projects.length > 1 || (project.folder !== home && project.folder !== undefined)}
          onOpen={onOpen}
          onBegin={onBegin}
        />
      ))}
      {found.length === 0 && !hasMessages && (
        <p className="px-2 py-4 text-sm text-soft">
          {wanted === "" ? "Conversations appear here." : "No conversation has this in its title."}
        </p>
      )}
    </nav>
  );
}

interface ProjectGroupProps {
  readonly project: Project;
  /** Where all conversations work in one folder, its name would say nothing. */
  readonly isNamed: boolean;
  onOpen(conversationId: string): void;
  onBegin(folder: string): void;
}

function ProjectGroup({ project: { folder, conversations }, isNamed, onOpen, onBegin }: ProjectGroupProps) {
  const name = folder === undefined ? "" : reveal(nameOfFolder(folder));
  return (
    <section aria-label={isNamed ? `Project ${name}` : undefined} className={isNamed ? "mb-3" : ""}>
      {isNamed && folder !== undefined && (
        <div className="flex items-center gap-1.5 pl-2 text-xs text-soft">
          <Icon name="folder" className="size-3.5" />
          <h2 title={reveal(folder)} className="min-w-0 flex-1 truncate font-semibold">
            {name}
          </h2>
          <IconButton name="plus" label={`New conversation in ${name}`} className="min-h-8 min-w-7 px-1" onClick={() => onBegin(folder)} />
        </div>
      )}
      <ul className="space-y-0.5">
        {conversations.map((summary) => (
          <ConversationRow key={summary.conversationId} summary={summary} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
}
