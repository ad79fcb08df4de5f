// `hawser call --batch`: many calls from a file or stdin, one result per item on stdout as they come.
// On a terminal a line on stderr tells how far it is. Ctrl-C cancels what runs; results so far stay.

import { open } from "node:fs/promises";
import { createConnectionPool, runBatch as makeCalls, type CallCore, type ItemDefaults } from "@hawser/gateway/internal";
import { HawserError } from "@hawser/protocol";
import { toFlag } from "../command-line/command.ts";
import { reportAsJson } from "../api-target/json-output.ts";
import { useCore, withTarget } from "../api-target/target.ts";
import { describeSystemError } from "../command-line/failure.ts";
import type { Interruption } from "../command-line/interruption.ts";
import { endLine, printStyled, printTo, writeOut } from "../command-line/output.ts";
import { programName } from "../command-line/launcher.ts";
import { checkNoFleet, type CallFlags } from "./item.ts";

// What belongs to one call; an item of a batch says it itself.
const ofRequest = ["op", "method", "path", "param", "query", "header", "body", "form", "contentType", "dryRun"] as const;
const ofAnswer = ["select", "raw", "out", "stream"] as const;

/** Throws `usage` for what belongs to one call. */
export function checkBatchFlags(flags: CallFlags): void {
  const misplaced = [...ofRequest, ...ofAnswer].find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw new HawserError("usage", `${toFlag(misplaced)} is not supported with --batch; items say it themselves`);
}

export const runBatch = (flags: CallFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    checkBatchFlags(flags);
    checkNoFleet(flags);
    const source = await openSource(flags);
    await withTarget(flags, (target) =>
      useCore(
        { ...target, maxConnections: flags.parallel },
        (core, interruption) => performBatch(source, core, flags, interruption),
        createConnectionPool,
      ),
    );
  });

async function performBatch(source: AsyncIterable<Buffer>, core: CallCore, flags: CallFlags, interruption: Interruption): Promise<void> {
  const progress = createProgressLine();
  let cutBodies = 0;
  try {
    const code = await makeCalls(source, core, {
      parallel: flags.parallel,
      ordered: flags.ordered,
      output: flags.batchOutput,
      defaults: toItemDefaults(flags),
      signal: interruption.signal,
      write: (text) => writeOut(Buffer.from(text)),
      onProgress(done, failed, cut) {
        progress.show(`${done} calls done${failed > 0 ? `, ${failed} failed` : ""}`);
        cutBodies = cut;
      },
    });
    process.exitCode = interruption.exitCode ?? code;
  } finally {
    progress.end();
    await endLine().catch(() => {});
    tellCut(cutBodies);
  }
}

export function tellCut(bodies: number): void {
  if (bodies > 0) printTo(process.stderr, `${programName()}: ${bodies} bodies were cut off; --max-body gives more\n`);
}

export const toItemDefaults = ({ yes, retry, retryBackoff }: CallFlags): ItemDefaults => ({
  ...(yes && { yes }),
  ...(retry !== undefined && { retry }),
  ...(retryBackoff !== undefined && { retryBackoff }),
});

export async function openSource({ batch = "", apiKeyStdin }: CallFlags): Promise<AsyncIterable<Buffer>> {
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

const redrawMs = 100;
const eraseLine = "\r\u001b[2K";

/** On stderr, where that is a terminal and the results go elsewhere. */
export function createProgressLine() {
  const isShown = process.stderr.isTTY && !process.stdout.isTTY;
  let drawnAt = -Infinity;
  return {
    show(text: string): void {
      const now = performance.now();
      if (!isShown || now - drawnAt < redrawMs) return;
      drawnAt = now;
      printStyled(process.stderr, `${eraseLine}${text}`);
    },
    end(): void {
      if (drawnAt > -Infinity) printStyled(process.stderr, eraseLine);
    },
  };
}
