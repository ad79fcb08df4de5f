// `hawser api sync|validate`: the document itself. `sync` fetches it from the gateway, or from an address of its
// own, and keeps it; `validate` says whether a file, or what is fetched, follows the specification.

import { findApiDocument, syncApiDocument, validateDocument } from "@hawser/gateway/internal";
import { gatewayLimits } from "@hawser/gateway/internal/limits";
import { checkOutput, printJson, reportAsJson } from "../api-target/json-output.ts";
import { withTarget } from "../api-target/target.ts";
import { readInputFile } from "../command-line/input.ts";
import { printTo } from "../command-line/output.ts";
import type { ApiFlags } from "./run.ts";

const invalidExitCode = 1;

export const runApiSync = (flags: ApiFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const output = checkOutput(flags);
    const startedAt = performance.now();
    const synced = await withTarget(flags, syncApiDocument);
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
    const specFile = positional ?? flags.specFile;
    const { file, name } = await withTarget(flags, (options) => findApiDocument({ ...options, specFile }));
    const text = readInputFile(file, "the document", gatewayLimits.maxDocumentBytes).toString("utf8");
    const { valid, specification, errors, warnings } = await validateDocument(text, name);
    if (!valid) process.exitCode = invalidExitCode;
    if (flags.json) return printJson({ ok: valid, document: name, specification, errors, warnings }, output);
    const verdict = valid ? `valid\t${name}\t${specification ?? ""}` : `invalid\t${name}`;
    const lines = [verdict, ...errors.map((error) => `error\t${error}`), ...warnings.map((warning) => `warning\t${warning}`)];
    printTo(process.stdout, `${lines.join("\n")}\n`);
  });
