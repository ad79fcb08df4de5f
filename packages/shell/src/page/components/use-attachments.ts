// The files that wait to be sent with the next message. Each is kept first, which gives it the path that the
// agent will read.

import { useCallback, useRef, useState } from "react";
import { describeThrown } from "@hawser/wire";
import type { KeptFile } from "../links/kept-files.ts";
import { usePageParts } from "../session/page-context.ts";

export interface WaitingFile extends Partial<KeptFile> {
  readonly key: number;
  readonly name: string;
  readonly mime: string;
  readonly state: "uploading" | "ready" | "failed";
  readonly error?: string;
}

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function useAttachments() {
  const { files: keptFiles } = usePageParts();
  const [files, setFiles] = useState<readonly WaitingFile[]>([]);
  const lastKey = useRef(0);

  const add = useCallback(
    (given: Iterable<File>) => {
      for (const file of given) {
        const key = ++lastKey.current;
        // Browsers guess a type by the name, and guess wrong; what is no image is judged by its content.
        const mime = images.includes(file.type) ? file.type : "application/octet-stream";
        const change = (facts: Partial<WaitingFile>): void =>
          setFiles((present) => present.map((each) => (each.key === key ? { ...each, ...facts } : each)));
        setFiles((present) => [...present, { key, name: file.name, mime, state: "uploading" }]);
        keptFiles.keep(file).then(
          (kept) => change({ ...kept, state: "ready" }),
          (error: unknown) => change({ state: "failed", error: describeThrown(error) }),
        );
      }
    },
    [keptFiles],
  );

  const remove = useCallback((key: number) => setFiles((present) => present.filter((file) => file.key !== key)), []);
  const clear = useCallback(() => setFiles([]), []);
  return { files, add, remove, clear, restore: setFiles };
}
