// Where the API document is looked for: the file or address that was named, `openapi.json` in the current folder, the one
// beside the configuration file, and last the gateway itself. The servers that a document names are never used.

import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeThrown, HawserError } from "@hawser/protocol";
import type { GatewayOptions } from "../call.ts";
import { configDirectory, configError, type Environment } from "../config/config-file.ts";
import { findTarget, noAddress, type FoundTarget } from "../config/resolve-target.ts";
import { toDocumentUrl, type Target } from "../config/target.ts";
import { createRedactor } from "../execute/redaction.ts";
import { createSingleConnections } from "../execute/single-connections.ts";
import type { OperationIndex } from "../openapi/operation.ts";
import { usage } from "../request/safe-text.ts";
import { loadCachedFile, loadIndexFile } from "./document-file.ts";
import {
  copyOf,
  createGatewaySource,
  loadFetched,
  syncDocument,
  type CopyUse,
  type GatewaySource,
  type SourceParts,
  type SyncedDocument,
} from "./fetch-document.ts";

const documentFile = "openapi.json";

export interface IndexOptions {
  /** A file that must be there, or the address that `gateway` asks; nothing else is looked at then. */
  readonly specFile?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Environment | undefined;
  /** Asked where there is no file. */
  readonly gateway?: GatewaySource | undefined;
  readonly copyUse?: CopyUse | undefined;
}

/** Throws `usage` where there is no document, or it can't be read. */
export async function loadIndex(options: IndexOptions = {}): Promise<OperationIndex> {
  const env = options.env ?? process.env;
  if (options.gateway?.documentUrl) return loadFetched(options.gateway, env, options.copyUse);
  const { paths, named } = filesOf(options);
  for (const path of paths) {
    const index = await loadIndexFile(path, env);
    if (index) return index;
  }
  if (named !== undefined) {
    throw usage(`OpenAPI document ${named} not found; name another with --spec-file`, { document: named });
  }
  if (options.gateway) return loadFetched(options.gateway, env, options.copyUse);
  throw usage(`no OpenAPI document: neither ${paths.join(" nor ")} is there; name one with --spec-file`);
}

/** The document of a call's target. */
export const loadTargetIndex = (target: Target, parts: SourceParts, options: Omit<IndexOptions, "gateway">): Promise<OperationIndex> =>
  loadIndex({ ...options, specFile: target.specFile, gateway: createGatewaySource({ target, specFile: target.specFile }, parts) });

/** As calls find it. A file needs no gateway: whether one is configured, and how well, matters only where there is no file. */
export async function loadApiIndex(options: GatewayOptions): Promise<OperationIndex> {
  let problem = noAddress;
  const found = await findTarget(options).catch((error: unknown): FoundTarget => {
    if (toDocumentUrl(options.specFile)) throw error;
    problem = describeThrown(error);
    return { target: undefined, specFile: options.specFile };
  });
  const { specFile } = found;
  problem = found.problem ?? problem;
  return withSource(found, options, async (gateway) => {
    try {
      return await loadIndex({ ...options, specFile, gateway });
    } catch (error) {
      if (gateway || specFile !== undefined || !HawserError.isInstance(error)) throw error;
      throw new HawserError("usage", `${error.message}; and it can't be fetched: ${problem}`, { cause: error });
    }
  });
}

/** What an earlier load left in the cache, however old: neither a document is read nor a server asked. */
export async function loadCachedIndex(options: GatewayOptions = {}): Promise<OperationIndex | undefined> {
  const { target, specFile } = await findTarget(options).catch(() => ({ target: undefined, specFile: options.specFile }));
  const env = options.env ?? process.env;
  const documentUrl = toDocumentUrl(specFile);
  if (documentUrl) return loadCachedFile(copyOf({ baseUrl: documentUrl, documentUrl }, env), env);
  const { paths, named } = filesOf({ ...options, specFile });
  for (const path of paths) if (await isThere(path)) return loadCachedFile(path, env);
  return named !== undefined || !target ? undefined : loadCachedFile(copyOf(target, env), env);
}

/** Fetches the document of a gateway, or of an address of its own, and keeps it. Throws `usage` where it is a file. */
export async function syncApiDocument(options: GatewayOptions = {}): Promise<SyncedDocument> {
  const found = await findTarget(options);
  const { specFile } = found;
  if (specFile !== undefined && !toDocumentUrl(specFile)) {
    throw usage(`the API document is the file ${specFile}, so there is nothing to fetch; name an address with --spec-file`);
  }
  return withSource(found, options, (source) => {
    if (!source) throw configError(found.problem ?? noAddress);
    return syncDocument(source, options.env);
  });
}

/** The file of the document, where it is one or was fetched just now, and what to call it in messages. */
export async function findApiDocument(options: GatewayOptions = {}): Promise<{ readonly file: string; readonly name: string }> {
  // A file is found without a configuration.
  const given = options.specFile?.trim() ?? "";
  const specFile = given !== "" && !toDocumentUrl(given) ? given : (await findTarget(options)).specFile;
  if (specFile !== undefined && !toDocumentUrl(specFile)) return { file: absolute(specFile, options), name: specFile };
  for (const file of specFile === undefined ? filesOf(options).paths : []) if (await isThere(file)) return { file, name: file };
  const { file, sourceURL } = await syncApiDocument(options);
  if (file === undefined) throw usage("the document can't be kept; save it and name it with --spec-file");
  return { file, name: sourceURL };
}

/** With a connection of its own, for as long as `use` takes. */
async function withSource<Value>(
  found: FoundTarget,
  { env }: GatewayOptions,
  use: (source: GatewaySource | undefined) => Promise<Value>,
): Promise<Value> {
  const connections = createSingleConnections(1, env);
  try {
    return await use(createGatewaySource(found, { redactor: createRedactor(found.target?.token), connections }));
  } finally {
    await connections.close();
  }
}

/** The files that are looked for, in their order; where one is named, only that. */
function filesOf(options: IndexOptions): { readonly paths: readonly string[]; readonly named?: string } {
  const named = options.specFile?.trim() ?? "";
  if (named !== "") return { paths: [absolute(named, options)], named };
  return { paths: [absolute(documentFile, options), join(configDirectory(options.env ?? process.env), documentFile)] };
}

function absolute(path: string, { cwd }: IndexOptions): string {
  return resolve(cwd ?? process.cwd(), path);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
