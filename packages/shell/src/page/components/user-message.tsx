// What the user said, with what was attached. It can be copied, and edited: everything after it is then
// given up, and the new text is sent in its place.

import { memo, useState, type FormEvent, useEffect } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { textOf } from "../session/actions.ts";
import { usePageParts } from "../session/page-context.ts";
import type { Message } from "../state/page-state.ts";
import { Button, Icon } from "./icon.tsx";

interface UserMessageProps {
  readonly message: Message;
  /** A search has led to it. */
  readonly isSought: boolean;
}

export const UserMessage = memo(function UserMessage({ message, isSought }: UserMessageProps) {
  const { actions } = usePageParts();
  const [isEditing, setIsEditing] = useState(false);
  const text = textOf(message);
  const files = message.parts.filter((part) => part.kind === "attachment");
  return (
    <article
      aria-label="You"
      data-sought={isSought || undefined}
      tabIndex={isSought ? -1 : undefined}
      className="group/message lazy-paint flex flex-col items-end sm:flex-row-reverse sm:gap-1"
    >
      {isEditing ? (
        <EditForm message={message} text={text} onEnd={() => setIsEditing(false)} />
      ) : (
        <div className="max-w-[92%] min-w-0 rounded-2xl rounded-br-sm bg-sea-wash px-4 py-2.5 sm:max-w-[80%]">
          {text !== "" && <p className="own-direction whitespace-pre-wrap wrap-anywhere">{text}</p>}
          {files.length > 0 && (
            <ul className="mt-1 flex flex-wrap gap-2" aria-label="Attachments">
              {files.map(({ path, mime }, at) => (
                <li key={at}>
                  <AttachedFile path={path} mime={mime} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {!isEditing && (
        <div className="on-demand mt-0.5 flex shrink-0 justify-end">
          <CopyButton text={text} label="Copy message" />
          <Button
            label="Edit"
            icon="pencil"
            isSmall
            aria-label="Edit and resend"
            title="Edit and resend; what follows is given up"
            // Asked when it is clicked: two thousand buttons that follow every change would be slow.
            onClick={() => setIsEditing(actions.mayChangeHistory())}
          />
        </div>
      )}
    </article>
  );
});

function EditForm({ message, text, onEnd }: { readonly message: Message; readonly text: string; onEnd(): void }) {
  const { actions } = usePageParts();
  const [draft, setDraft] = useState(text);
  function submit(event: FormEvent): void {
    event.preventDefault();
    onEnd();
    void actions.sendAgain(message, draft);
  }
  return (
    <form className="w-[min(36rem,80vw)] space-y-2" onSubmit={submit} onKeyDown={(event) => (event.key === "Escape" ? onEnd() : undefined)}>
      <textarea
        aria-label="Edited message"
        className="field grows-with-text max-h-80 w-full"
        value={draft}
        autoFocus
        onChange={(event) => setDraft(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button label="Cancel" onClick={onEnd} />
        <Button type="submit" label="Send again" className="button-main" disabled={draft.trim() === ""} />
      </div>
    </form>
  );
}

function AttachedFile({ path, mime }: { readonly path: string; readonly mime: string }) {
  const { files } = usePageParts();
  const [isGone, setIsGone] = useState(false);
  const [address, setAddress] = useState<string>();
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const isImage = mime.startsWith("image/");
  useEffect(() => {
    let isLeft = false;
    if (isImage) void files.addressOf(path).then((found) => (isLeft ? undefined : setAddress(found)));
    return () => {
      isLeft = true;
    };
  }, [files, path, isImage]);
  if (address !== undefined && !isGone)
    return <img src={address} alt={name} className="max-h-48 max-w-full rounded-lg border border-line" onError={() => setIsGone(true)} />;
  return (
    <span title={path} className="inline-flex max-w-64 items-center gap-1.5 rounded-lg border border-line bg-sheet px-2 py-1 text-xs">
      <Icon name="clip" className="size-3.5" />
      <span className="truncate">{name}</span>
    </span>
  );
}
