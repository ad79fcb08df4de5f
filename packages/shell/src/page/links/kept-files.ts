// Where files go before they are sent with a message. A page has no paths, and the agent reads only paths: so
// each file is kept by whoever the page came from, which answers with the path that the agent will read.

import { HawserError, isRecord, limits } from "@hawser/wire";
import { callDesktop, type TauriPowers } from "./tauri-powers.ts";

export interface KeptFile {
  readonly path: string;
  /** Under which the page can show it again, if it is an image. */
  readonly address?: string | undefined;
}

export interface KeptFiles {
  /** Rejects with a sentence. */
  keep(file: File): Promise<KeptFile>;
  /** Undefined when this launch has no such image. */
  addressOf(path: string): string | undefined;
}

export function createServerFiles(): KeptFiles {
  return {
    async keep(file) {
      const response = await fetch("/files", { method: "POST", headers: toHeaders(file), body: file });
      const answer: unknown = await response.json().catch(() => undefined);
      if (isRecord(answer) && typeof answer["path"] === "string") return { path: answer["path"], address: String(answer["address"]) };
      throw new HawserError("usage", isRecord(answer) ? String(answer["error"]) : `the shell refused it (${response.status})`);
    },
    addressOf(path) {
      // They lie in folders of their own, and are shown under the folder's name.
      const [, id] = /[/\\]([0-9a-f]{8}-[0-9a-f-]{27})[/\\][^/\\]+$/.exec(path) ?? [];
      return id === undefined ? undefined : `/files/${id}`;
    },
  };
}

/** The app gives nothing back: the page shows an image out of its own memory. */
export function createDesktopFiles({ invoke }: Pick<TauriPowers, "invoke">): KeptFiles {
  const addresses = new Map<string, string>();
  return {
    async keep(file) {
      // Before it is read into memory.
      if (file.size > limits.shellFileBytes)
        throw new HawserError(
          "too_large",
          `the file is larger than ${limits.shellFileBytes} bytes; put it into the working folder instead`,
        );
      const bytes = new Uint8Array(await file.arrayBuffer());
      const path = await callDesktop(invoke, "file_put", bytes, { headers: toHeaders(file) });
      if (typeof path !== "string") throw new HawserError("internal", "the app did not say where the file is");
      if (file.type.startsWith("image/")) addresses.set(path, URL.createObjectURL(file));
      return { path, address: addresses.get(path) };
    },
    addressOf: (path) => addresses.get(path),
  };
}

const toHeaders = ({ name }: File): Record<string, string> => ({ "x-file-name": encodeURIComponent(name) });
