// The files that wait to be sent with the next message. Each is kept first, which gives it the path that the
// agent will read.

import { useCallback, useRef, useState } from "react";
import { describeThrown } from "@hawser/protocol";
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
        // Browsers guess a type by the name, and guess wrong; anything but an image is judged by its content.
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

const endings = { "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" } as const;
const known = Object.keys(endings) as (keyof typeof endings)[];

/**
 * A picture on the clipboard, for engines that do not hand it over with what is pasted: WebKitGTK gives it only to a page
 * that reads the clipboard during the event, so call this then. Empty when there is no picture, or it can't be read.
 */
export async function readPastedImage(): Promise<File[]> {
  try {
    const items = await navigator.clipboard.read();
    const found = items.flatMap((item) => known.filter((type) => item.types.includes(type)).map((type) => ({ item, type })));
    // One picture in several forms is still one.
    return await Promise.all(found.slice(0, 1).map(({ item, type }) => toFile(item, type)));
  } catch {
    return [];
  }
}

async function toFile(item: ClipboardItem, type: keyof typeof endings): Promise<File> {
  return new File([await item.getType(type)], `image.${endings[type]}`, { type });
}
