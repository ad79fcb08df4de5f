// Where the document is looked for: the file or address that was named, `openapi.json` in the current folder,
// the one beside the configuration file, and last the gateway itself. What is fetched is kept for a day.
// The servers that a document names are never used: calls go to the configured address only.

import { isAbsolute, join, resolve } from "node:path";
import { HawserError } from "@hawser/wire";
import { configDirectory, type Environment } from "../config/config-file.ts";
import { type CopyUse, type GatewaySource, loadFetched } from "./fetch-document.ts";
import { loadIndexFile } from "./load-file.ts";
import type { OperationIndex } from "./operation.ts";

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

/** Throws `usage` where there is no document, or none that can be read. */
export async function loadIndex(options: IndexOptions = {}): Promise<OperationIndex> {
  const env = options.env ?? process.env;
  if (options.gateway?.documentUrl) return loadFetched(options.gateway, env, options.copyUse);
  const { paths, named } = placesOf(options);
  for (const path of paths) {
    const index = await loadIndexFile(path, env);
    if (index) return index;
  }
  if (named !== undefined) {
    throw new HawserError("usage", `OpenAPI document ${named} not found; name another with --spec-file`, { facts: { document: named } });
  }
  if (options.gateway) return loadFetched(options.gateway, env, options.copyUse);
  throw new HawserError("usage", `no OpenAPI document: neither ${paths.join(" nor ")} is there; name one with --spec-file`);
}

/** The files that are looked for, in their order; where one is named, only that. */
export function placesOf(options: IndexOptions): { readonly paths: readonly string[]; readonly named?: string } {
  const named = options.specFile?.trim() ?? "";
  return named === "" ? { paths: documentFiles(options) } : { paths: [absolute(named, options)], named };
}

/** The files that are looked for when none is named, in their order. */
export function documentFiles(options: IndexOptions = {}): string[] {
  const beside = join(configDirectory(options.env ?? process.env), documentFile);
  return [absolute(documentFile, options), beside];
}

function absolute(path: string, { cwd }: IndexOptions): string {
  return isAbsolute(path) ? path : resolve(cwd ?? process.cwd(), path);
}
