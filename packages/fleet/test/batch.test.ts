// Batches with a real server, and with workers, senders and readers in this process: what can be seen only from inside.

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { writeHead } from "../src/batch/batch-head.ts";
import {
  bundleSubject,
  consumerGroup,
  consumerName,
  createBatchId,
  bundlesOfSite,
  itemStream,
  resultStream,
  resultSubject,
} from "../src/batch/batch-names.ts";
import { isServed, nextBundle } from "../src/batch/batch-state.ts";
import { isFenced, openBatchStreams, readLast, type BatchStreams } from "../src/batch/batch-streams.ts";
import { createBundleLog, readBundleState } from "../src/batch/bundle-log.ts";
import { encodeBundle, type BatchItem, type ItemEnd } from "../src/batch/bundle.ts";
import { cancelBatch } from "../src/batch/cancel-batch.ts";
import { readResults } from "../src/batch/read-results.ts";
import type { SiteCalls } from "../src/batch/run-bundle.ts";
import { sendBatch, type SentItem } from "../src/batch/send-batch.ts";
import { serveSite, type SiteOptions, type SiteWorker } from "../src/batch/serve-site.ts";
import { fleetLimits } from "../src/limits.ts";
import type { FleetServer } from "../src/server/start-server.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";

const usual = { ...fleetLimits };
const workers: SiteWorker[] = [];
let server: FleetServer;
let streams: BatchStreams;

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram === "") return;
  server = await openServer({ maxPayload: 131_072 });
  streams = await openBatchStreams(await openFleet(server));
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop(0);
  Object.assign(fleetLimits, usual);
});

const end = (item: BatchItem, what: string, code = 0): ItemEnd => ({
  index: item.index,
  code,
  isCut: false,
  line: JSON.stringify({ id: item.text.slice(0, 100), what }),
});
const refuse = (item: BatchItem, reason: HawserError): ItemEnd => end(item, reason.code, 7);

async function serve(site: string, calls: Partial<SiteCalls>, more: Partial<SiteOptions> = {}): Promise<SiteWorker> {
  const all: SiteCalls = { call: async (item) => end(item, "done"), refuse, mayRepeat: async () => false, ...calls };
  const worker = await serveSite(await openFleet(server), {
    site,
    workers: 4,
    version: "1.2.3",
    machine: "quay",
    createCalls: () => all,
    ...more,
  });
  workers.push(worker);
  return worker;
}

async function* toItems(site: string, count: number): AsyncGenerator<SentItem, void, undefined> {
  for (let index = 0; index < count; index++) yield { index, text: `"${index}"`, site };
}

const send = (batch: string, items: AsyncIterator<SentItem>): Promise<number | undefined> =>
  sendBatch(streams, { batch, items, defaults: {}, refuse, signal: new AbortController().signal });

async function read(batch: string, sending?: Promise<number | undefined>): Promise<string[]> {
  const lines: string[] = [];
  await readResults(streams, {
    batch,
    ...(sending && { sending }),
    onResult: ({ line }) => void lines.push(line),
    onUnserved: () => {},
    miss: (index) => end({ index, text: "?" }, "missing", 7),
    signal: new AbortController().signal,
  });
  return lines;
}

const countOf = (lines: readonly string[], what: string): number => lines.filter((line) => line.includes(`"${what}"`)).length;

describe("a batch", () => {
  it("of more items than fit into a bundle is called once each, by as many calls at a time as the worker has", async () => {
    const called = new Map<number, number>();
    let [now, most] = [0, 0];
    await serve("many", {
      async call(item) {
        called.set(item.index, (called.get(item.index) ?? 0) + 1);
        most = Math.max(most, ++now);
        await sleep(1);
        now--;
        return end(item, "done");
      },
    });
    const batch = createBatchId();
    const lines = await read(batch, send(batch, toItems("many", 600)));
    expect([lines.length, new Set(lines).size, countOf(lines, "done")]).toEqual([600, 600, 600]);
    expect([called.size, [...called.values()].every((count) => count === 1), most]).toEqual([600, true, 4]);
    expect((await readLast(streams, resultStream, `hawser.batch.result.${batch}.*`))?.subject).toBeDefined();
    expect(await nextBundle(streams, batch)).toBeUndefined();
  });

  it("belongs to one process at a time: one that was taken for lost learns it before it sends, and its results do not count", async () => {
    const subject = resultSubject(createBatchId(), 0);
    const first = createBundleLog(streams, { subject, after: 0 });
    await first.start(1);
    const second = createBundleLog(streams, { subject, after: (await readBundleState(streams, subject)).sequence });
    await second.end(end({ index: 1, text: "1" }, "unknown_outcome"));
    await expect(first.end(end({ index: 1, text: "1" }, "done"))).rejects.toSatisfy(isFenced);
    await expect(first.start(2)).rejects.toSatisfy(isFenced);
    await expect(createBundleLog(streams, { subject, after: 0 }).start(2)).rejects.toSatisfy(isFenced);
    expect(await readBundleState(streams, subject)).toMatchObject({ started: new Map([[1, 1]]), ended: new Set([1]) });
  });

  it("whose bundle two workers get is called by one of them", async () => {
    const batch = createBatchId();
    const sending = send(batch, toItems("twice", 20));
    await sending;
    // The queue holds the same items a second time, as after a write whose answer was lost.
    const first = await nextBundle(streams, batch);
    await streams.client.publish(bundleSubject("twice", batch, 0), first?.text ?? "");
    let calls = 0;
    await serve("twice", { call: async (item) => (calls++, await sleep(1), end(item, "done")) });
    const lines = await read(batch);
    await until(async () => (await nextBundle(streams, batch)) === undefined);
    expect([lines.length, countOf(lines, "done"), calls]).toEqual([20, 20, 20]);
  });

  it("of a sender that is gone is closed by its reader; what was not stored is told as missing, and the sender can add nothing", async () => {
    Object.assign(fleetLimits, { fleetSilenceMs: 200, batchLookMs: 50, fleetAskMs: 100 });
    await serve("orphan", {});
    const batch = createBatchId();
    const head = await writeHead(streams, batch, { state: "open" });
    const add = (bundle: number, indexes: number[]) =>
      streams.client.publish(
        bundleSubject("orphan", batch, bundle),
        encodeBundle({ items: indexes.map((index) => ({ index, text: `"${index}"` })), defaults: {} }),
        { expect: { lastSubjectSequence: head.sequence, lastSubjectSequenceSubject: `hawser.batch.head.${batch}` } },
      );
    await add(0, [0, 1]);
    await add(2, [3]);
    const lines = await read(batch);
    expect([lines.length, countOf(lines, "done"), countOf(lines, "missing")]).toEqual([4, 3, 1]);
    await expect(add(1, [2])).rejects.toMatchObject({ code: 10_071 });
  });

  it("that is cancelled without a worker ends by itself: not begun is cancelled, begun is unknown", async () => {
    Object.assign(fleetLimits, { batchCancelMs: 100, batchRetryMs: 20 });
    const batch = createBatchId();
    await send(batch, toItems("nowhere", 300));
    await createBundleLog(streams, { subject: resultSubject(batch, 0), after: 0 }).start(7);
    await cancelBatch(streams, { batch, refuse });
    const lines = await read(batch);
    expect([lines.length, countOf(lines, "cancelled"), countOf(lines, "unknown_outcome")]).toEqual([300, 299, 1]);
    await expect(cancelBatch(streams, { batch: createBatchId(), refuse })).rejects.toMatchObject({ code: "usage" });
  });

  it("with more sites than one may have, or an item that is too large, has a line for each that was refused", async () => {
    await serve("only", {});
    Object.assign(fleetLimits, { batchSiteEntries: 1 });
    async function* items(): AsyncGenerator<SentItem, void, undefined> {
      yield { index: 0, text: '"0"', site: "only" };
      yield { index: 1, text: '"1"', site: "other" };
      yield { index: 2, text: JSON.stringify("x".repeat(200_000)), site: "only" };
      yield { index: 3, text: '"3"', site: undefined };
      yield end({ index: 4, text: "4" }, "wrong", 2);
    }
    const batch = createBatchId();
    const lines = await read(batch, send(batch, items()));
    expect([lines.length, ...["done", "usage", "too_large", "wrong"].map((what) => countOf(lines, what))]).toEqual([5, 1, 2, 1, 1]);
  });

  it("does not come to harm from a message that is none: it is dropped, and the worker goes on", async () => {
    await serve("garbage", {});
    await streams.client.publish(bundleSubject("garbage", createBatchId(), 0), "no JSON");
    await streams.client.publish(bundleSubject("garbage", createBatchId(), 0), '{"items":[1,2]}\n"1"');
    const batch = createBatchId();
    await streams.client.publish(resultSubject(batch, 99), "no step");
    await streams.client.publish(resultSubject(batch, 98), `{"started":[],"ended":[[${2 ** 40},0,0]]}\n{}`);
    expect(countOf(await read(batch, send(batch, toItems("garbage", 3))), "done")).toBe(3);
    await until(async () => (await streams.manager.consumers.info(itemStream, consumerName("garbage"))).num_ack_pending === 0);
  });
});

describe("a worker of a site", () => {
  it("waits beside the one that is pinned, and takes its place when that one leaves; what ran there was finished", async () => {
    const done: string[] = [];
    const toCalls = (name: string): Partial<SiteCalls> => ({ call: async (item) => (await sleep(2), done.push(name), end(item, "done")) });
    const first = await serve("pair", toCalls("first"));
    await until(() => isServed(streams, "pair"));
    const batch = createBatchId();
    const reading = read(batch, send(batch, toItems("pair", 400)));
    await until(() => done.length > 20);
    await serve("pair", toCalls("second"));
    await first.stop();
    expect(await reading).toHaveLength(400);
    expect(done).toHaveLength(400);
    expect(done.lastIndexOf("first")).toBeLessThan(done.indexOf("second"));
  });

  it("makes no more calls a second than its rate, and none for the time in which another worker's may still count", async () => {
    await streams.manager.consumers.add(itemStream, {
      durable_name: consumerName("slow"),
      filter_subject: bundlesOfSite("slow"),
      ack_policy: "explicit",
      priority_groups: [consumerGroup],
      priority_policy: "pinned_client",
      priority_timeout: 1.2e9,
    });
    const at: number[] = [];
    await serve("slow", { call: async (item) => (at.push(performance.now()), end(item, "done")) }, { rate: 50 });
    const batch = createBatchId();
    const startedAt = performance.now();
    await read(batch, send(batch, toItems("slow", 30)));
    expect((at[0] ?? 0) - startedAt).toBeGreaterThan(1_100);
    // Five may be made at once.
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThan(480);
  });

  it("begins nothing while results can't be stored, and goes on when they can; nothing is lost or called twice", async () => {
    const full = await openServer();
    const fleet = await openFleet(full);
    Object.assign(fleetLimits, { batchResultBytes: 20_000, batchItemBytes: 8_000, batchRetryMs: 50 });
    const small = await openBatchStreams(fleet);
    let calls = 0;
    const call: SiteCalls["call"] = async (item) => (
      calls++,
      { ...end(item, "done"), line: JSON.stringify({ id: item.index, what: "done", pad: "x".repeat(1_000) }) }
    );
    const worker = await serveSite(fleet, {
      site: "full",
      workers: 2,
      version: "1.2.3",
      machine: "quay",
      createCalls: () => ({ call, refuse, mayRepeat: async () => false }),
    });
    workers.push(worker);
    const batch = createBatchId();
    const sending = sendBatch(small, { batch, items: toItems("full", 1_000), defaults: {}, refuse, signal: new AbortController().signal });
    await until(() => calls > 5);
    await until(async () => (await small.manager.streams.info(resultStream)).state.bytes > 10_000);
    await sleep(200);
    // What there is room for, and what had begun.
    expect(calls).toBeLessThanOrEqual(30);
    const { config } = await small.manager.streams.info(resultStream);
    await small.manager.streams.update(resultStream, { ...config, max_bytes: -1 });
    const lines: string[] = [];
    await readResults(small, {
      batch,
      sending,
      onResult: ({ line }) => void lines.push(line),
      onUnserved: () => {},
      miss: (index) => end({ index, text: "?" }, "missing", 7),
      signal: new AbortController().signal,
    });
    expect([lines.length, new Set(lines).size, countOf(lines, "done"), calls]).toEqual([1_000, 1_000, 1_000, 1_000]);
  });
});
