// Where the user writes. Enter sends, Shift+Enter begins a new line; a slash offers commands and an @ files; files come by drop, paste
// and picker, too.
// What is written stays when it can't be sent.

import { useEffect, useRef, useState, type ClipboardEvent, type FormEvent, type KeyboardEvent } from "react";
import { useIsConnected, usePage, usePageParts } from "../session/page-context.ts";
import { runningTurnsOf } from "../state/page-state.ts";
import { ComposerButtons } from "./composer-buttons.tsx";
import { useCompletion, type Completion, type CompletionPlace } from "./completion.tsx";
import { IconButton } from "./icon.tsx";
import type { Switches } from "./keys.tsx";
import { commandsFor } from "./page-commands.ts";
import { readPastedImage, useAttachments, type WaitingFile } from "./use-attachments.ts";
import { WaitingList } from "./waiting-list.tsx";

export function Composer({ switches }: { readonly switches: Switches }) {
  const parts = usePageParts();
  const { actions, desktop } = parts;
  const currentId = usePage((state) => state.currentId);
  const isConnected = useIsConnected();
  const [text, setText] = useState("");
  const [caret, setCaret] = useState(0);
  const capabilities = usePage(({ runtime }) => runtime?.info.capabilities);
  const { files, add, addKnown, remove, setFiles } = useAttachments();
  const box = useRef<HTMLTextAreaElement>(null);
  const { store } = parts.session;
  // Where a search has led to a message, that has the focus.
  useEffect(() => (store.getState().sought ? undefined : box.current?.focus()), [store, currentId]);

  const isReady = files.every(({ state }) => state === "ready");
  const canSend = isConnected && isReady && (text.trim() !== "" || files.length > 0);

  const isRunning = usePage((state) => runningTurnsOf(state, state.currentId).length > 0);
  // Files belong to a message of their own.
  const canSteer = isRunning && canSend && files.length === 0 && (capabilities?.includes("steer") ?? false);

  function takeCompletion({ name, command }: Completion, { from, to }: CompletionPlace): void {
    if (command) {
      setText("");
      return command.run(parts, switches);
    }
    const isFolder = name.endsWith("/");
    const inserted = `@${name}${isFolder ? "" : " "}`;
    setText(text.slice(0, from) + inserted + text.slice(to));
    requestAnimationFrame(() => box.current?.setSelectionRange(from + inserted.length, from + inserted.length));
    setCaret(from + inserted.length);
    if (!isFolder) addKnown(name);
  }
  const completion = useCompletion(text, caret, takeCompletion);

  async function send(): Promise<void> {
    const command = commandsFor(capabilities ?? []).find(({ name }) => text.trim() === `/${name}`);
    if (command) {
      setText("");
      return command.run(parts, switches);
    }
    if (!canSend) return;
    const attachments = files.flatMap(({ path, mime }) => (path === undefined ? [] : [{ path, mime }]));
    setText("");
    setFiles([]);
    if (await actions.send(text, attachments)) return;
    setText((present) => present || text);
    setFiles((present) => (present.length > 0 ? present : files));
  }
  async function steer(): Promise<void> {
    setText("");
    if (!(await actions.steer(text))) setText((present) => present || text);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (completion.onKeyDown(event)) return;
    // Enter also ends the choice of a character in some scripts.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    // A key that is still held from elsewhere, a button that gave the focus back, was not meant for this text.
    if (event.repeat) return;
    void (canSteer && (event.ctrlKey || event.metaKey) ? steer() : send());
  }
  function onPaste(event: ClipboardEvent): void {
    const { files: pasted, types } = event.clipboardData;
    if (pasted.length > 0) {
      event.preventDefault();
      add(pasted);
    } else if (desktop && !types.includes("text/plain")) {
      void readPastedImage().then(add);
    }
  }
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void send();
  }
  return (
    <form className="px-3 pb-2 sm:px-6" onSubmit={onSubmit}>
      <WaitingList />
      <div className="relative mx-auto max-w-3xl rounded-2xl border border-edge bg-sheet p-2 shadow-sm focus-within:border-sea">
        {completion.list}
        <WaitingFiles files={files} onRemove={remove} />
        <div className="short:flex short:items-end">
          <textarea
            ref={box}
            id="message-box"
            dir="auto"
            aria-label="Message"
            placeholder={isConnected ? "Say what you want done" : "You can write; it can be sent when the agent is connected"}
            className="grows-with-text max-h-60 min-h-11 w-full resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-soft short:max-h-24 short:min-h-9 short:min-w-0 short:flex-1 short:py-1"
            rows={1}
            value={text}
            {...completion.aria}
            onChange={(event) => setText(event.target.value)}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          <ComposerButtons canSend={canSend} onSteer={canSteer ? () => void steer() : undefined} onFiles={add} />
        </div>
      </div>
      <DropArea onFiles={add} />
    </form>
  );
}

function WaitingFiles({ files, onRemove }: { readonly files: readonly WaitingFile[]; onRemove(key: number): void }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Files to send" className="mb-1 flex flex-wrap gap-2 px-1 pt-1">
      {files.map((file) => (
        <li
          key={file.key}
          className={`flex max-w-full items-center gap-2 rounded-lg border px-2 py-1 text-xs ${file.state === "failed" ? "border-alarm bg-alarm-wash" : "border-line bg-paper"}`}
        >
          {file.state === "ready" && file.mime.startsWith("image/") && (
            <img src={file.address} alt="" className="size-8 rounded object-cover" />
          )}
          <span className="max-w-40 truncate">{file.name}</span>
          {file.state === "uploading" && <span className="text-soft">reading…</span>}
          {file.state === "failed" && <span className="text-alarm wrap-anywhere">{file.error}</span>}
          <IconButton name="close" label={`Remove ${file.name}`} className="min-h-6 min-w-0 px-1" onClick={() => onRemove(file.key)} />
        </li>
      ))}
    </ul>
  );
}

/** Files may be dropped anywhere on the page. Without this, a browser would open them instead. */
function DropArea({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    function onDrag(event: DragEvent): void {
      const { type, dataTransfer } = event;
      if (type === "drop") setIsOver(false);
      if (!dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (type === "drop") onFiles([...dataTransfer.files]);
      else setIsOver(true);
    }
    addEventListener("dragover", onDrag, { signal });
    addEventListener("dragleave", (event) => (event.relatedTarget === null ? setIsOver(false) : undefined), { signal });
    addEventListener("drop", onDrag, { signal });
    return () => stop.abort();
  }, [onFiles]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-2xl border-2 border-dashed border-sea bg-sea-wash/90 text-lg font-semibold">
      Drop to attach
    </div>
  );
}
