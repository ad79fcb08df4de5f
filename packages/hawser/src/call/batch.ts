// `hawser call --batch`: many calls from a file or stdin, one result per item on stdout as they come.
// On a terminal a line on stderr tells how far it is. Ctrl-C cancels what runs; results so far stay.

import { open } from "node:fs/promises";
import { runBatch as makeCalls, type CallCore } from "@hawser/gateway";
import { HawserError } from "@hawser/protocol";
import { toFlag } from "../command-line/command.ts";
import { reportAsJson, type OutputFlags } from "../api-target/json-output.ts";
import { withCore, type CoreFlags } from "../api-target/target.ts";
import { describeSystemError } from "../command-line/failure.ts";
import type { Interruption } from "../command-line/interruption.ts";
import { endLine, printStyled, printTo, writeOut } from "../command-line/output.ts";
import { programName } from "../launcher.ts";
import type { CallItemFlags } from "./item.ts";

export interface BatchFlags extends CallItemFlags, CoreFlags, OutputFlags {
  readonly batch?: string;
  readonly parallel?: number;
  readonly ordered?: true;
  readonly batchOutput?: "ndjson" | "json";
  readonly stream?: true;
  readonly out?: string;
}

// What belongs to one call; an item of a batch says it itself.
const single = [
  "op",
  "method",
  "path",
  "param",
  "query",
  "header",
  "body",
  "form",
  "contentType",
  "dryRun",
  "select",
  "raw",
  "out",
  "stream",
] as const;

export const runBatch = (flags: BatchFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const misplaced = single.find((name) => flags[name] !== undefined);
    if (misplaced !== undefined)
      throw new HawserError("usage", `${toFlag(misplaced)} is not supported with --batch; items say it themselves`);
    const source = await openSource(flags);
    await withCore(flags, (core, interruption) => performBatch(source, core, flags, interruption), { maxConnections: flags.parallel });
  });

async function performBatch(source: AsyncIterable<Buffer>, core: CallCore, flags: BatchFlags, interruption: Interruption): Promise<void> {
  const { yes, retry, retryBackoff } = flags;
  const progress = createProgressLine();
  let cutBodies = 0;
  try {
    const code = await makeCalls(source, core, {
      parallel: flags.parallel,
      ordered: flags.ordered,
      output: flags.batchOutput,
      defaults: { ...(yes && { yes }), ...(retry !== undefined && { retry }), ...(retryBackoff !== undefined && { retryBackoff }) },
      signal: interruption.signal,
      write: (text) => writeOut(Buffer.from(text)),
      onProgress(done, failed, cut) {
        progress.show(done, failed);
        cutBodies = cut;
      },
    });
    process.exitCode = interruption.exitCode ?? code;
  } finally {
    progress.end();
    await endLine().catch(() => {});
    if (cutBodies > 0) printTo(process.stderr, `${programName()}: ${cutBodies} bodies were cut off; --max-body gives more\n`);
  }
}

async function openSource({ batch = "", apiKeyStdin }: BatchFlags): Promise<AsyncIterable<Buffer>> {
  if (batch.trim() === "-") {
    if (apiKeyStdin) throw new HawserError("usage", "--api-key-stdin and --batch - can't both read stdin");
    return process.stdin as AsyncIterable<Buffer>;
  }
  const path = batch.trim().replace(/^@/, "");
  try {
    const file = await open(path);
    const isFolder = (await file.stat()).isDirectory();
    if (!isFolder) return file.createReadStream() as AsyncIterable<Buffer>;
    await file.close();
  } catch (cause) {
    throw new HawserError("usage", `can't read the batch ${path}: ${describeSystemError(cause)}`, { cause });
  }
  throw new HawserError("usage", `the batch ${path} is a folder; name the file with the items`);
}

export interface ProgressLine {
  show(done: number, failed: number): void;
  /** Removes the line. */
  end(): void;
}

const redrawMs = 100;
const eraseLine = "\r\u001b[2K";

export function createProgressLine(now: () => number = () => performance.now()): ProgressLine {
  const isShown = process.stderr.isTTY && !process.stdout.isTTY;
  let drawnAt = -Infinity;
  return {
    show(done, failed) {
      if (!isShown || now() - drawnAt < redrawMs) return;
      drawnAt = now();
      printStyled(process.stderr, `${eraseLine}${done} calls done${failed > 0 ? `, ${failed} failed` : ""}`);
    },
    end() {
      if (isShown && drawnAt > -Infinity) printStyled(process.stderr, eraseLine);
    },
  };
}
