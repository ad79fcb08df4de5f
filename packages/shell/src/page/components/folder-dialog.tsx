// Where a conversation works: folders that were used before, a path that is typed, with the folders there are, or in a desktop window
// the system's own dialog. And the question whether what a folder brings along may count.

import { reveal } from "@hawser/protocol";
import { describeThrown } from "@hawser/protocol/internal";
import { useEffect, useState, type FormEvent } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { knownFolders, nameOfFolder } from "../session/workspaces.ts";
import { folderOf, type TrustQuestion } from "../state/page-state.ts";
import { Dialog, takesFocus } from "./dialog.tsx";
import { Button, Icon } from "./icon.tsx";

const typingMs = 80;
const shownFolders = 8;

export function FolderDialog({ onClose }: { onClose(): void }) {
  const { actions, desktop } = usePageParts();
  const current = usePage((state) => folderOf(state, state.currentId));
  const conversations = usePage((state) => state.conversations);
  const link = usePage((state) => state.link);
  const [path, setPath] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const found = useFolders(path);
  const recent = knownFolders({ conversations, link }).slice(0, shownFolders);
  async function choose(folder: string): Promise<void> {
    if (folder === "" || isBusy) return;
    if (!isWhole.test(folder)) return setProblem("Write the whole path, for example /home/you/project.");
    setIsBusy(true);
    const found = await actions.chooseFolder(await toWholePath(folder, actions.findFolders));
    setIsBusy(false);
    setProblem(found);
    if (found === undefined) onClose();
  }
  async function browse(picked: Promise<string | undefined>): Promise<void> {
    try {
      await choose((await picked) ?? "");
    } catch (error) {
      setProblem(`The system's dialog can't be shown: ${describeThrown(error)}`);
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    void choose(path.trim());
  }
  return (
    <Dialog label="Folder to work in" hasHeading className="w-[min(36rem,94vw)] rounded-2xl border border-line p-5" onClose={onClose}>
      <p className="text-sm text-soft">
        The agent reads and changes files of this conversation there, and nowhere else. What was said before stays.
      </p>
      <form className="mt-3 flex gap-2" onSubmit={submit}>
        <input
          type="text"
          aria-label="Path of a folder"
          placeholder="/home/you/project, or ~/project"
          className="field flex-1 font-mono"
          spellCheck={false}
          ref={takesFocus}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        {desktop && <Button label="Browse…" disabled={isBusy} onClick={() => void browse(desktop.pickFolder())} />}
        <Button type="submit" label="Work there" className="button-main" disabled={isBusy || path.trim() === ""} />
      </form>
      {problem !== undefined && (
        <p role="alert" className="mt-2 text-sm text-alarm wrap-anywhere">
          {reveal(problem)}
        </p>
      )}
      {path === "" ? (
        <FolderList label="Used before" folders={recent} current={current} onChoose={(folder) => void choose(folder)} />
      ) : (
        <FolderList label="Folders there" folders={found} current={current} onChoose={(folder) => setPath(`${folder}/`)} />
      )}
    </Dialog>
  );
}

interface FolderListProps {
  readonly label: string;
  readonly folders: readonly string[];
  readonly current: string | undefined;
  onChoose(folder: string): void;
}

function FolderList({ label, folders, current, onChoose }: FolderListProps) {
  return (
    <section aria-label={label} className="mt-4">
      <h3 className="text-xs font-semibold text-soft">{label}</h3>
      {folders.length === 0 && <p className="mt-1 text-sm text-soft">None.</p>}
      <ul className="mt-1 max-h-64 overflow-y-auto">
        {folders.map((folder) => (
          <li key={folder}>
            <button
              type="button"
              aria-current={folder === current}
              className={`flex w-full items-center gap-2 rounded-lg px-2 py-1.5 text-left text-sm focus-visible:-outline-offset-2 ${folder === current ? "bg-sea-wash" : "hover:bg-raised"}`}
              onClick={() => onChoose(folder)}
            >
              <Icon name="folder" className="size-4 text-soft" />
              <span className="min-w-0">
                <span className="block truncate">{reveal(nameOfFolder(folder))}</span>
                <span className="block truncate font-mono text-xs text-soft">{reveal(folder)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const isWhole = /^(?:[/~\\]|[a-z]:)/i;

/** Without a slash at its end, and with the folder that `~` stands for, which only the runtime knows. */
async function toWholePath(typed: string, find: (path: string) => Promise<readonly string[]>): Promise<string> {
  const path = typed.replace(/(?<=.)[/\\]+$/, "");
  if (!path.startsWith("~/")) return path;
  const name = nameOfFolder(path);
  return (await find(path)).find((folder) => nameOfFolder(folder) === name) ?? path;
}

/** Only the latest answer counts. */
function useFolders(path: string): readonly string[] {
  const { actions } = usePageParts();
  const [found, setFound] = useState<readonly string[]>([]);
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => void actions.findFolders(path).then((folders) => (isOld ? undefined : setFound(folders))), typingMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [actions, path]);
  return found;
}

export function TrustDialog({ question }: { readonly question: TrustQuestion }) {
  const { actions } = usePageParts();
  const deny = (): void => actions.answerTrust("deny");
  return (
    <Dialog label="Trust this folder?" className="w-[min(32rem,94vw)] rounded-2xl border border-line p-5" onClose={deny}>
      <h2 className="text-lg font-semibold">Trust this folder?</h2>
      <p className="mt-2 font-mono text-sm wrap-anywhere">{reveal(question.folder)}</p>
      <p className="mt-2 text-sm">It brings settings of its own, which count once you trust it:</p>
      <ul aria-label="What the folder brings" className="mt-1 list-disc pl-5 text-sm">
        {question.brings.map((thing, at) => (
          <li key={at} className="wrap-anywhere whitespace-pre-wrap">
            {reveal(thing)}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm text-soft">If you don't, the agent works there without them.</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button label="Don't trust" ref={takesFocus} onClick={deny} />
        <Button label="Trust this folder" className="border-sea text-sea" onClick={() => actions.answerTrust("allow")} />
      </div>
    </Dialog>
  );
}
