// Where files go before they are sent with a message. A page has no paths, and the agent reads only paths: so
// each file is handed to the server or app that the page came from, which answers with the path that the agent will read.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { shellLimits } from "../../limits.ts";
import type { PageAccess } from "../access/enter-page.ts";
import { callDesktop, type TauriPowers } from "./desktop.ts";

export interface KeptFile {
  readonly path: string;
  /** Under which the page can show it, if it is an image: out of its own memory. */
  readonly address?: string | undefined;
}

export interface KeptFiles {
  /** Rejects with a sentence. */
  keep(file: File): Promise<KeptFile>;
  /** Under which the page can show an image; undefined when this launch has none of that path. */
  addressOf(path: string): Promise<string | undefined>;
}

export function createServerFiles({ headers }: Pick<PageAccess, "headers">): KeptFiles {
  const addresses = new Map<string, Promise<string | undefined>>();

  /** An image's own tag could not show the credential. */
  async function load(id: string): Promise<string | undefined> {
    const response = await fetch(`/files/${id}`, { headers: headers(), credentials: "omit" });
    return response.ok ? URL.createObjectURL(await response.blob()) : undefined;
  }

  return {
    async keep(file) {
      const request = { method: "POST", headers: { ...toHeaders(file), ...headers() }, credentials: "omit", body: file } as const;
      const response = await fetch("/files", request);
      const answer: unknown = await response.json().catch(() => undefined);
      if (!isRecord(answer) || typeof answer["path"] !== "string")
        throw new HawserError("usage", isRecord(answer) ? String(answer["error"]) : `the shell refused it (${response.status})`);
      const { path } = answer;
      const address = toImageAddress(file);
      if (address !== undefined) addresses.set(path, Promise.resolve(address));
      return { path, address };
    },
    addressOf(path) {
      // They lie in folders of their own, and are asked for by the folder's name.
      const [, id] = /[/\\]([0-9a-f]{8}-[0-9a-f-]{27})[/\\][^/\\]+$/.exec(path) ?? [];
      if (id === undefined) return Promise.resolve(undefined);
      const known = addresses.get(path);
      if (known) return known;
      const loading = load(id).catch(() => (addresses.delete(path), undefined));
      addresses.set(path, loading);
      return loading;
    },
  };
}

const toImageAddress = (file: File): string | undefined => (file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined);

/** The app gives nothing back: the page shows an image out of its own memory. */
export function createDesktopFiles({ invoke }: Pick<TauriPowers, "invoke">): KeptFiles {
  const addresses = new Map<string, string>();
  return {
    async keep(file) {
      // Before it is read into memory.
      const max = shellLimits.shellFileBytes;
      if (file.size > max)
        throw new HawserError("too_large", `the file is larger than ${max} bytes; put it into the working folder instead`);
      const bytes = new Uint8Array(await file.arrayBuffer());
      const path = await callDesktop(invoke, "file_put", bytes, { headers: toHeaders(file) });
      if (typeof path !== "string") throw new HawserError("internal", "the app did not say where the file is");
      const address = toImageAddress(file);
      if (address !== undefined) addresses.set(path, address);
      return { path, address };
    },
    addressOf: async (path) => addresses.get(path),
  };
}

const toHeaders = ({ name }: File): Record<string, string> => ({ "x-file-name": encodeURIComponent(name) });
