// What waits for a batch, with a real server: how often it asks, and what it leaves behind.

import { getEventListeners } from "node:events";
import type { StreamAPI } from "@nats-io/jetstream";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { HawserError } from "@hawser/protocol";
import { writeHead } from "../src/batch/batch-head.ts";
import { createBatchId, itemStream } from "../src/batch/batch-names.ts";
import { openBatchStreams, type BatchStreams } from "../src/batch/batch-streams.ts";
import type { BatchItem, ItemEnd } from "../src/batch/bundle.ts";
import { cancelBatch } from "../src/batch/cancel-batch.ts";
import { readResults } from "../src/batch/read-results.ts";
import { sendBatch, type SentItem } from "../src/batch/send-batch.ts";
import { fleetLimits } from "../src/limits.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";

const usual = { ...fleetLimits };
let streams: BatchStreams;

beforeEach(skipWithoutServer);
beforeAll(async () => {
  if (serverProgram !== "") streams = await openBatchStreams(await openFleet(await openServer()));
});
afterEach(() => void Object.assign(fleetLimits, usual));

const refuse = ({ index }: Pick<BatchItem, "index">, { code }: Pick<HawserError, "code">): ItemEnd => ({
  index,
  code: 7,
  isCut: false,
  line: JSON.stringify(code),
});

/** As `streams`, but for some of what is asked of the server. */
function withStreams(changes: Partial<StreamAPI>): BatchStreams {
  const api = Object.assign(Object.create(streams.manager.streams), changes);
  return { ...streams, manager: Object.create(streams.manager, { streams: { value: api } }) };
}

describe("a batch", () => {
  it("that can't be ended is not tried without a pause or for ever: its cancelling ends with an error", async () => {
    Object.assign(fleetLimits, { batchCancelMs: 0, batchCancelSteps: 3, batchRetryMs: 1 });
    const batch = createBatchId();
    async function* items(): AsyncGenerator<SentItem, void, undefined> {
      yield { index: 0, text: '"0"', site: "nowhere" };
    }
    await sendBatch(streams, { batch, items: items(), defaults: {}, refuse, signal: new AbortController().signal });
    let tries = 0;
    // A server that lets nobody take items out of the queue, up to a number that is never reached.
    const deleteMessage = async (...[stream, sequence]: [string, number]): Promise<boolean> =>
      ++tries > 100 && streams.manager.streams.deleteMessage(stream, sequence);
    await expect(cancelBatch(withStreams({ deleteMessage }), { batch, refuse })).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining(itemStream),
    });
    expect(tries).toBe(fleetLimits.batchCancelSteps);
    await cancelBatch(streams, { batch, refuse });
  });

  it("that is waited for for long leaves nothing behind with each look", async () => {
    Object.assign(fleetLimits, { batchLookMs: 1 });
    const batch = createBatchId();
    await writeHead(streams, batch, { state: "open" });
    const signals = new Set<EventTarget>();
    const { addEventListener } = AbortSignal.prototype;
    const noting = vi.spyOn(AbortSignal.prototype, "addEventListener").mockImplementation(function (this: AbortSignal, ...args) {
      signals.add(this);
      addEventListener.apply(this, args);
    });
    onTestFinished(() => noting.mockRestore());
    let looks = 0;
    let most = 0;
    const stop = new AbortController();
    const getMessage: typeof streams.manager.streams.getMessage = (...query) => {
      most = Math.max(most, ...Array.from(signals, (signal) => getEventListeners(signal, "abort").length));
      if (++looks === 40) stop.abort();
      return streams.manager.streams.getMessage(...query);
    };
    const options = { batch, onResult: () => {}, onUnserved: () => {}, miss: (index: number) => refuse({ index }, { code: "internal" }) };
    expect(await readResults(withStreams({ getMessage }), { ...options, signal: stop.signal })).toBe(false);
    expect(looks).toBeGreaterThanOrEqual(40);
    expect(most).toBeLessThan(5);
  });
});
