// The files of the next message, each with how it stands and a way to take it off again.

import { Icon } from "./icon.tsx";
import type { WaitingFile } from "./use-attachments.ts";

interface WaitingFilesProps {
  readonly files: readonly WaitingFile[];
  onRemove(key: number): void;
}

export function WaitingFiles({ files, onRemove }: WaitingFilesProps) {
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
          <button
            type="button"
            className="button button-quiet min-h-6 px-1"
            aria-label={`Remove ${file.name}`}
            onClick={() => onRemove(file.key)}
          >
            <Icon name="close" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}
