// An index as the cache has it, for who can't wait: a document that lies where it is looked for is neither
// opened nor compared, and one that no load has read yet has no index. It may be older than its document.

import { stat } from "node:fs/promises";
import { HawserError } from "@hawser/wire";
import type { Environment } from "../config/config-file.ts";
import { toDocumentUrl } from "../config/target-values.ts";
import { cacheFileOf, isPrivate } from "./cache-folder.ts";
import { copyOf } from "./fetch-document.ts";
import { readIndexFile, readIndexRecords } from "./index-file.ts";
import { type IndexOptions, placesOf } from "./load-index.ts";
import { createOperationIndex } from "./operation-index.ts";
import type { OperationIndex } from "./operation.ts";

export interface CachedIndexOptions extends Omit<IndexOptions, "gateway"> {
  /** Of the gateway whose copy is taken where there is no file. */
  readonly baseUrl?: URL | undefined;
}

/** That of the first document that is there, as `loadIndex` looks for it. */
export async function findCachedIndex({ baseUrl, ...options }: CachedIndexOptions): Promise<OperationIndex | undefined> {
  const env = options.env ?? process.env;
  const documentUrl = toDocumentUrl(options.specFile);
  if (documentUrl) return readCached(copyOf({ baseUrl: documentUrl, documentUrl }, env), env);
  const { paths, named } = placesOf(options);
  for (const path of paths) {
    if (await isThere(path)) return readCached(path, env);
  }
  return named !== undefined || !baseUrl ? undefined : readCached(copyOf({ baseUrl }, env), env);
}

async function readCached(document: string, env: Environment): Promise<OperationIndex | undefined> {
  const file = cacheFileOf(env, "index", document);
  const cached = (await isPrivate(file)) ? await readIndexFile(file) : undefined;
  if (!cached) return undefined;
  return createOperationIndex(cached.head.index, async (places) => {
    const records = await readIndexRecords(file, cached.opening, places);
    if (!records) throw new HawserError("usage", `the cached index of OpenAPI document ${document} changed since it was read`);
    return records;
  });
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
