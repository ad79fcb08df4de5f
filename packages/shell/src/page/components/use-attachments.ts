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

const endings = { "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" } as const;
type ImageType = keyof typeof endings;
const images = Object.keys(endings) as ImageType[];

export function useAttachments() {
  const { files: keptFiles } = usePageParts();
  const [files, setFiles] = useState<readonly WaitingFile[]>([]);
  const lastKey = useRef(0);

  const add = useCallback(
    (given: Iterable<File>) => {
      for (const file of given) {
        const key = ++lastKey.current;
        // Browsers guess a type by the name, and guess wrong; anything but an image is judged by its content.
        const mime = images.find((type) => type === file.type) ?? "application/octet-stream";
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

  /** A file that lies where the agent works: it is there already. */
  const addKnown = useCallback((path: string) => {
    const file = { key: ++lastKey.current, name: path, path, mime: "application/octet-stream", state: "ready" as const };
    setFiles((present) => (present.some((each) => each.path === path) ? present : [...present, file]));
  }, []);

  const remove = useCallback((key: number) => setFiles((present) => present.filter((file) => file.key !== key)), []);
  return { files, add, addKnown, remove, setFiles };
}

/**
 * A picture on the clipboard, for engines that do not hand it over with what is pasted: WebKitGTK gives it only to a page
 * that reads the clipboard during the event, so call this then. Empty when there is no picture, or it can't be read.
 */
export async function readPastedImage(): Promise<File[]> {
  try {
    const items = await navigator.clipboard.read();
    // One picture in several forms is still one.
    const [found] = items.flatMap((item) => images.filter((type) => item.types.includes(type)).map((type) => ({ item, type })));
    if (!found) return [];
    const { item, type } = found;
    return [new File([await item.getType(type)], `image.${endings[type]}`, { type })];
  } catch {
    return [];
  }
}
