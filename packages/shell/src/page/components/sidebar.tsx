// The conversations: a new one, a search, and the list of all, the latest first. Each is opened by a click, renamed in
// place, deleted after a question.

import { reveal, type ConversationSummary } from "@hawser/protocol";
import { memo, useRef, useState, type KeyboardEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { nameOfFolder, toProjects, type Project } from "../session/workspaces.ts";
import { openQuestion, runningTurnsOf } from "../state/page-state.ts";
import { Dialog } from "./dialog.tsx";
import { Button, Icon, IconButton } from "./icon.tsx";

/** `onChosen`: a drawer closes then. */
export function Sidebar({ onChosen }: { onChosen(): void }) {
  const { session, actions } = usePageParts();
  const conversations = usePage((state) => state.conversations);
  const currentId = usePage((state) => state.currentId);
  const home = usePage(({ link }) => link.root);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  // A folder may have been chosen for a conversation in which nothing was said yet.
  const begun = conversations.filter(({ conversationId, messages }) => messages > 0 || conversationId === currentId);
  const found = begun.filter(({ title }) => title.toLowerCase().includes(wanted));
  const projects = toProjects(found, home);
  function choose(conversationId: string): void {
    session.open(conversationId);
    onChosen();
  }
  function begin(folder?: string): void {
    actions.begin(folder);
    onChosen();
  }
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3">
      <p className="flex items-center gap-2 px-1 text-base font-semibold tracking-tight">
        <span aria-hidden="true" className="strand h-5 w-1.5 rounded-full" /> Hawser
      </p>
      <Button label="New conversation" icon="plus" className="button-main w-full" onClick={() => begin()} />
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
        {projects.map((project) => (
          <ProjectGroup
            key={project.folder ?? ""}
            project={project}
            isNamed={projects.length > 1 || (project.folder !== home && project.folder !== undefined)}
            onOpen={choose}
            onBegin={begin}
          />
        ))}
        {found.length === 0 && (
          <p className="px-2 py-4 text-sm text-soft">
            {wanted === "" ? "Conversations appear here." : "No conversation has this in its title."}
          </p>
        )}
      </nav>
    </div>
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

interface ConversationRowProps {
  readonly summary: ConversationSummary;
  onOpen(conversationId: string): void;
}

const ConversationRow = memo(function ConversationRow({ summary, onOpen }: ConversationRowProps) {
  const { conversationId } = summary;
  const title = summary.title || "Untitled";
  const [task, setTask] = useState<"rename" | "delete">();
  const link = useRef<HTMLAnchorElement>(null);
  const isCurrent = usePage((state) => state.currentId === conversationId);
  const isRunning = usePage((state) => runningTurnsOf(state, conversationId).length > 0);
  const asks = usePage((state) => isRunning && openQuestion(state, conversationId) !== undefined);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "F2") setTask("rename");
    if (event.key === "Delete") setTask("delete");
  }
  function end(): void {
    setTask(undefined);
    requestAnimationFrame(() => link.current?.focus());
  }
  if (task === "rename")
    return (
      <li>
        <RenameField conversationId={conversationId} title={title} onEnd={end} />
      </li>
    );
  return (
    <li className={`group flex items-center rounded-lg ${isCurrent ? "bg-sea-wash" : "hover:bg-raised"}`}>
      <a
        ref={link}
        href={`#/c/${encodeURIComponent(conversationId)}`}
        aria-current={isCurrent ? "page" : undefined}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-lg px-2 text-sm"
        onClick={(event) => {
          event.preventDefault();
          onOpen(conversationId);
        }}
        onKeyDown={onKeyDown}
      >
        {isRunning && (
          <span
            role="img"
            aria-label={asks ? "asks you" : "working"}
            className={`size-2 shrink-0 rounded-full ${asks ? "bg-rope" : "beat bg-sea"}`}
          />
        )}
        <span className="truncate">{title}</span>
      </a>
      <div className={`flex ${isCurrent ? "" : "sm:hidden sm:group-focus-within:flex sm:group-hover:flex"}`}>
        <IconButton name="pencil" label={`Rename ${title}`} className="min-h-8 min-w-7 px-1" onClick={() => setTask("rename")} />
        <IconButton name="trash" label={`Delete ${title}`} className="min-h-8 min-w-7 px-1" onClick={() => setTask("delete")} />
      </div>
      {task === "delete" && <DeleteDialog conversationId={conversationId} title={title} onEnd={() => setTask(undefined)} />}
    </li>
  );
});

interface TaskProps {
  readonly conversationId: string;
  readonly title: string;
  onEnd(): void;
}

function RenameField({ conversationId, title, onEnd }: TaskProps) {
  const { actions } = usePageParts();
  const [draft, setDraft] = useState(title);
  function save(): void {
    onEnd();
    if (draft.trim() !== "" && draft !== title) void actions.rename(conversationId, draft.trim());
  }
  return (
    <input
      aria-label="New title"
      className="field w-full"
      value={draft}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter") save();
        if (event.key === "Escape") onEnd();
        event.stopPropagation();
      }}
    />
  );
}

function DeleteDialog({ conversationId, title, onEnd }: TaskProps) {
  const { actions } = usePageParts();
  function remove(): void {
    onEnd();
    void actions.remove(conversationId);
  }
  return (
    <Dialog label="Delete conversation" className="w-[min(26rem,92vw)] rounded-2xl border border-line p-5" onClose={onEnd}>
      <h2 className="text-lg font-semibold">Delete this conversation?</h2>
      <p className="mt-2 text-sm wrap-anywhere">“{title}” and its file are removed from this machine. This can't be undone.</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button label="Keep it" autoFocus onClick={onEnd} />
        <Button label="Delete" className="border-alarm text-alarm" onClick={remove} />
      </div>
    </Dialog>
  );
}
