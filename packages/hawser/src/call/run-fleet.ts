// `hawser call --batch --fleet`: the items go to the queues of their sites, workers there make the calls, and the results come back here
// as the same lines that a batch on this machine prints. The batch outlives this process: `--attach` reads it from anywhere. Ctrl-C ends
// the reading, not the batch; `--cancel` ends the batch.

import {
  cancelBatch,
  checkBatchId,
  createBatchId,
  maxItemBytes,
  openBatchStreams,
  readResults,
  removeBatch,
  sendBatch,
  type BatchItem,
  type BatchStreams,
  type ItemEnd,
  type SentItem,
} from "@hawser/fleet/internal";
import {
  createResultWriter,
  itemOf,
  readBatch,
  toBatchCode,
  toItemLine,
  toRefusedOutcome,
  toUncalledLine,
  type BatchEntry,
  type CallCode,
} from "@hawser/gateway/internal";
import { HawserError, isRecord } from "@hawser/protocol/internal";
import { keepHeapSmall } from "@hawser/wire/internal/node";
import { reportAsJson } from "../api-target/json-output.ts";
import { toFlag } from "../command-line/command.ts";
import { watchInterruption, type Interruption } from "../command-line/interruption.ts";
import { programName } from "../command-line/launcher.ts";
import { endLine, printTo, writeOut } from "../command-line/output.ts";
import { withFleet } from "../fleet/with-fleet.ts";
import { checkBatchFlags, createProgressLine, openSource, tellCut, toItemDefaults } from "./batch.ts";
import type { CallFlags } from "./item.ts";

/** What a worker decides, where the calls are made. */
const ofWorker = [
  ...(["gatewayUrl", "apiKey", "apiKeyFile", "apiKeyStdin", "profile", "specFile", "demo"] as const),
  ...(["parallel", "maxBody", "maxBodyBytes", "includeHeaders"] as const),
];

const notify = (text: string): void => printTo(process.stderr, `${programName()}: ${text}\n`);

export const runFleetCalls = (flags: CallFlags): Promise<void> =>
  reportAsJson(flags, async () => {
    const { batch, attach, cancel } = flags;
    checkFlags(flags);
    const source = batch === undefined ? undefined : await openSource(flags);
    keepHeapSmall();
    const interruption = watchInterruption();
    await withFleet(flags, "hawser call", async (fleet) => {
      try {
        const streams = await openBatchStreams(fleet);
        if (cancel !== undefined) await cancelAll(streams, checkBatchId(cancel));
        else if (attach !== undefined) await attachTo(streams, checkBatchId(attach), flags, interruption);
        else if (source) await send(streams, source, flags, interruption);
      } finally {
        interruption.dispose();
      }
    });
  });

function checkFlags(flags: CallFlags): void {
  const { batch, attach, cancel, after } = flags;
  const chosen = [batch, attach, cancel].filter((value) => value !== undefined).length;
  if (chosen !== 1) throw new HawserError("usage", "--fleet goes with one of --batch, --attach and --cancel");
  checkBatchFlags(flags);
  if (flags.ordered) throw new HawserError("usage", "--ordered is not supported with --fleet: results come as sites have them");
  if (after !== undefined && attach === undefined) throw new HawserError("usage", "--after belongs to --attach");
  const misplaced = ofWorker.find((name) => flags[name] !== undefined);
  if (misplaced !== undefined)
    throw new HawserError("usage", `${toFlag(misplaced)} is not for --fleet: give it to the worker, hawser rpc --fleet`);
}

async function send(streams: BatchStreams, source: AsyncIterable<Buffer>, flags: CallFlags, interruption: Interruption): Promise<void> {
  const batch = createBatchId();
  const { timeout, site, fleet } = flags;
  notify(`batch ${batch}; if this ends early, go on with: ${programName()} call --fleet ${fleet} --attach ${batch}`);
  const sending = sendBatch(streams, {
    batch,
    items: toSentItems(source, site, maxItemBytes(streams)),
    defaults: { ...toItemDefaults(flags), ...(timeout !== undefined && { timeout }) },
    refuse: refuseIn(streams),
    signal: interruption.signal,
  });
  sending.catch(() => {});
  await read(streams, { batch, flags, interruption, sending });
  // Why the source could not be read to its end.
  await sending;
}

const attachTo = (streams: BatchStreams, batch: string, flags: CallFlags, interruption: Interruption): Promise<void> =>
  read(streams, { batch, flags, interruption });

interface Reading {
  readonly batch: string;
  readonly flags: CallFlags;
  readonly interruption: Interruption;
  readonly sending?: Promise<number | undefined>;
}

async function read(streams: BatchStreams, { batch, flags, interruption, sending }: Reading): Promise<void> {
  const { after = 0, fleet, keep } = flags;
  const progress = createProgressLine();
  const writer = createResultWriter({ output: flags.batchOutput, write: (text) => writeOut(Buffer.from(text)) });
  const codes = new Set<CallCode>();
  let [done, failed, cut] = [0, 0, 0];
  let total: number | undefined;
  void sending?.then(
    (count) => (total = count),
    () => {},
  );
  try {
    const isWhole = await readResults(streams, {
      batch,
      ...(sending && { sending }),
      signal: interruption.signal,
      miss: (index) => toMissing(index),
      onUnserved: (site) =>
        notify(`no worker is at the site "${site}" now; its items wait. Start one: hawser rpc --fleet ${fleet} --site ${site}`),
      async onResult({ code, isCut, line }, running) {
        done += 1;
        if (code !== 0) failed += 1;
        if (isCut) cut += 1;
        codes.add(isCut ? 7 : toCode(code));
        progress.show(toProgress({ done, failed, running, total }));
        if (done > after) await writer.write(done, line);
      },
    });
    await writer.end();
    process.exitCode = interruption.exitCode ?? toBatchCode(codes);
    if (!isWhole) return tellHowToGoOn(batch, done, flags);
    if (!keep) await removeBatch(streams, batch);
  } finally {
    progress.end();
    await endLine().catch(() => {});
    tellCut(cut);
  }
}

const toCode = (code: number): CallCode => (code === 0 || code === 2 || code === 6 ? code : 7);

const toProgress = (counts: { done: number; failed: number; running: number; total: number | undefined }): string =>
  `${counts.done}${counts.total === undefined ? "" : ` of ${counts.total}`} calls done, ${counts.failed} failed, ${counts.running} running`;

function tellHowToGoOn(batch: string, done: number, { fleet }: CallFlags): void {
  const command = `${programName()} call --fleet ${fleet}`;
  notify(
    `batch ${batch} goes on. Its further results: ${command} --attach ${batch} --after ${done}; to end it: ${command} --cancel ${batch}`,
  );
}

async function cancelAll(streams: BatchStreams, batch: string): Promise<void> {
  await cancelBatch(streams, { batch, refuse: refuseIn(streams) });
  notify(`batch ${batch} is cancelled; its results are read with --attach`);
}

/** The end of an item that is not called. */
const refuseIn =
  (streams: BatchStreams) =>
  ({ index, text }: BatchItem, reason: HawserError): ItemEnd => ({
    index,
    ...toUncalledLine(text, index, reason, { maxBytes: maxItemBytes(streams) }),
  });

function toMissing(index: number): ItemEnd {
  const reason = new HawserError("unknown_outcome", "outcome unknown: no result of it is kept, or its sender ended before it was sent");
  return { index, ...toUncalledLine("{}", index, reason, { maxBytes: Infinity }) };
}

async function* toSentItems(
  source: AsyncIterable<Buffer>,
  site: string | undefined,
  maxBytes: number,
): AsyncGenerator<SentItem, void, undefined> {
  let index = 0;
  for await (const entry of readBatch(source)) yield toSentItem(entry, index++, site, maxBytes);
}

function toSentItem(entry: BatchEntry, index: number, site: string | undefined, maxBytes: number): SentItem {
  try {
    itemOf(entry);
    return { ...toLine(entry, index), site: siteOf(entry) ?? site };
  } catch (error) {
    return { index, ...toItemLine(entry, index, toRefusedOutcome(entry, error), { maxBytes }) };
  }
}

/** Line feeds of an item stand between its members only. */
const toLine = ({ text }: BatchEntry, index: number): BatchItem => ({ index, text: text.replaceAll(/[\r\n]+/g, " ").trim() });

function siteOf({ value }: BatchEntry): string | undefined {
  const site = isRecord(value) ? value["site"] : undefined;
  if (site === undefined || site === null || typeof site === "string") return site ?? undefined;
  throw new HawserError("usage", '"site": must be a string');
}
