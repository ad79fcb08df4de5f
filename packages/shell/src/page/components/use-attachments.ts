// The files that wait to be sent with the next message. A browser has no paths: each file goes to the local
// server first, which answers with the path that the agent will read.

import { useCallback, useRef, useState } from "react";
import { describeThrown, HawserError, isRecord } from "@hawser/wire";
import { isInsideTauri } from "../links/choose-link.ts";

export interface WaitingFile {
  readonly key: number;
  readonly name: string;
  readonly mime: string;
  readonly state: "uploading" | "ready" | "failed";
  readonly path?: string;
  readonly address?: string;
  readonly error?: string;
}

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function useAttachments() {
  const [files, setFiles] = useState<readonly WaitingFile[]>([]);
  const lastKey = useRef(0);

  const add = useCallback((given: Iterable<File>) => {
    for (const file of given) {
      const key = ++lastKey.current;
      // Browsers guess a type by the name, and guess wrong; what is no image is judged by its content.
      const mime = images.includes(file.type) ? file.type : "application/octet-stream";
      const change = (facts: Partial<WaitingFile>): void =>
        setFiles((present) => present.map((each) => (each.key === key ? { ...each, ...facts } : each)));
      setFiles((present) => [...present, { key, name: file.name, mime, state: "uploading" }]);
      upload(file).then(
        (kept) => change({ ...kept, state: "ready" }),
        (error: unknown) => change({ state: "failed", error: describeThrown(error) }),
      );
    }
  }, []);

  const remove = useCallback((key: number) => setFiles((present) => present.filter((file) => file.key !== key)), []);
  const clear = useCallback(() => setFiles([]), []);
  return { files, add, remove, clear, restore: setFiles };
}

async function upload(file: File): Promise<{ path: string; address: string }> {
  if (isInsideTauri()) throw new HawserError("usage", "files can't be attached in this window; name the path in the message instead");
  const response = await fetch("/files", { method: "POST", headers: { "x-file-name": encodeURIComponent(file.name) }, body: file });
  const answer: unknown = await response.json().catch(() => undefined);
  if (isRecord(answer) && typeof answer["path"] === "string") return { path: answer["path"], address: String(answer["address"]) };
  throw new HawserError("usage", isRecord(answer) ? String(answer["error"]) : `the shell refused it (${response.status})`);
}
