// The built page, held in memory: a request can only name what is there, so no path leads anywhere else.

import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { HawserError } from "@hawser/protocol";

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** By their address: `/`, `/assets/…`. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (cause) {
    throw new HawserError("usage", `the page is not built: ${folder} can't be read`, { cause });
  }
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const address = `/${relative(folder, path).split(sep).join("/")}`;
    files.set(address === "/index.html" ? "/" : address, { type, body: readFileSync(path) });
  }
  if (!files.has("/")) throw new HawserError("usage", `the page is not built: ${folder} has no index.html`);
  return files;
}
