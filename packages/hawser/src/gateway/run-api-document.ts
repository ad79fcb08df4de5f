// `hawser api sync|validate`: the document itself. `sync` fetches it from the gateway, or from an address of its
// own, and keeps it; `validate` says whether a file, or what is fetched, follows the specification.

import { readFileSync } from "node:fs";
import {
  documentFiles,
  findTarget,
  openGatewaySource,
  syncDocument,
  toDocumentUrl,
  validateDocument,
  type GatewayOptions,
  type SyncedDocument,
} from "@hawser/gateway";
import { HawserError, limits } from "@hawser/wire";
import { printTo } from "../terminal.ts";
import type { ApiFlags } from "./api-index.ts";
import { checkOutput, printJson, reportAsJson } from "./json-output.ts";
import { readInputFile } from "./target-flags.ts";
import { withTarget } from "./with-core.ts";

const invalidExitCode = 1;

export const runApiSync = (flags: ApiFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const startedAt = performance.now();
    const synced = await withTarget(flags, sync);
    const { file = "", sourceURL, operationCount, bytes, changed, attemptedPaths } = synced;
    const stats = output.includeStats ? { stats: { elapsedMs: Math.round(performance.now() - startedAt) } } : {};
    const shown = { ok: true, specPath: file, sourceURL, operationCount, bytes, changed, attemptedPaths, ...stats };
    if (flags.json) return printJson(shown, output);
    const lines = [
      `spec_path\t${file}`,
      `source_url\t${sourceURL}`,
      `operations\t${operationCount}`,
      `bytes\t${bytes}`,
      `changed\t${changed}`,
    ];
    printTo(process.stdout, `${lines.join("\n")}\n`);
  });

export const runApiValidate = (positional: string | undefined, flags: ApiFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const { text, name } = await withTarget(flags, (options) => readDocument(positional ?? flags.specFile, options));
    const { valid, specification, errors, warnings } = await validateDocument(text, name);
    if (!valid) process.exitCode = invalidExitCode;
    if (flags.json) return printJson({ ok: valid, document: name, specification, errors, warnings }, output);
    const verdict = valid ? `valid\t${name}\t${specification ?? ""}` : `invalid\t${name}`;
    const lines = [verdict, ...errors.map((error) => `error\t${error}`), ...warnings.map((warning) => `warning\t${warning}`)];
    printTo(process.stdout, `${lines.join("\n")}\n`);
  });

async function sync(options: GatewayOptions): Promise<SyncedDocument & { readonly sourceURL: string }> {
  const { specFile } = await findTarget(options);
  if (specFile !== undefined && !toDocumentUrl(specFile))
    throw new HawserError(
      "usage",
      `the API document is the file ${specFile}, so there is nothing to fetch; name an address with --spec-file`,
    );
  const source = await openGatewaySource(options);
  try {
    const synced = await syncDocument(source, options.env);
    return { ...synced, sourceURL: source.documentUrl?.href ?? `${source.baseUrl.href.replace(/\/$/, "")}${synced.path}` };
  } finally {
    await source.close();
  }
}

async function readDocument(given: string | undefined, options: GatewayOptions): Promise<{ text: string; name: string }> {
  if (given !== undefined && !toDocumentUrl(given)) return { text: readDocumentFile(given), name: given };
  const { specFile } = await findTarget({ ...options, specFile: given });
  if (specFile !== undefined && !toDocumentUrl(specFile)) return { text: readDocumentFile(specFile), name: specFile };
  for (const path of specFile === undefined ? documentFiles(options) : []) {
    const text = tryToRead(path);
    if (text !== undefined) return { text, name: path };
  }
  const { file: kept, sourceURL } = await sync({ ...options, specFile: given });
  if (kept === undefined) throw new HawserError("usage", "the document can't be kept; save it and name it with --spec-file");
  return { text: readDocumentFile(kept), name: sourceURL };
}

const readDocumentFile = (path: string): string => readInputFile(path, "the document", limits.maxDocumentBytes).toString("utf8");

function tryToRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
