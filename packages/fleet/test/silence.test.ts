// A call or a machine of which nothing is heard any more counts as gone; one of which something has come, and was not read yet, does not.

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Msg } from "@nats-io/transport-node";
import type { Fleet } from "../src/connect.ts";
import { fleetLimits } from "../src/limits.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import { watchTools, type LiveTools } from "../src/tools/live-tools.ts";

/** One call, and a hand that puts what its machine says into this process. */
function startCall() {
  const { fleetSilenceMs, fleetBeatMs } = fleetLimits;
  Object.assign(fleetLimits, { fleetSilenceMs: 1_000, fleetBeatMs: 40 });
  onTestFinished(() => void Object.assign(fleetLimits, { fleetSilenceMs, fleetBeatMs }));
  let take: (message: Msg) => void = () => {};
  const fleet = {
    connection: { isClosed: () => false },
    maxPayload: 65_536,
    createInbox: () => "inbox",
    listen: (_subject: string, listener: typeof take) => ((take = listener), { unsubscribe() {} }),
    onRefusal: () => () => {},
    say() {},
  } as unknown as Fleet;
  const { call, close } = createFleetCalls(fleet, "quay", { current: { digest: "d" }, forget() {} } as unknown as LiveTools);
  onTestFinished(close);
  const { signal } = new AbortController();
  const outcome = call({ params: { name: "weld", arguments: {} }, signal, onProgress: () => {}, onLog: () => {} });
  const hear = (text: string): void => take({ subject: "inbox.1", data: Buffer.from(text), string: () => text } as unknown as Msg);
  return { outcome, hear };
}

it("a sign of life that lay there while this process stood still counts, however long that was", async () => {
  const { outcome, hear } = startCall();
  outcome.catch(() => {});
  // From here the timers come next, and only behind them what lay there: so does what lies in a socket.
  await nextTurn();
  for (const until = performance.now() + 1_300; performance.now() < until;);
  setImmediate(hear, "");
  await new Promise((resolve) => setTimeout(resolve, 60));
  hear('{"result":{"content":[{"type":"text","text":"welded"}]}}');
  expect((await outcome).result.content).toEqual([{ type: "text", text: "welded" }]);
});

it("silence ends a call with an unknown outcome", async () => {
  await expect(startCall().outcome).rejects.toMatchObject({ code: "unknown_outcome", message: expect.stringContaining("It may have run") });
});

it("a machine whose word lay there while this process stood still offers its tools as before, and one that is silent does not", async () => {
  const { fleetAnnounceMs, fleetGoneMs } = fleetLimits;
  Object.assign(fleetLimits, { fleetAnnounceMs: 40, fleetGoneMs: 1_000 });
  onTestFinished(() => void Object.assign(fleetLimits, { fleetAnnounceMs, fleetGoneMs }));
  const machine = { service: "quay", id: "a", machine: "m", digest: "d".repeat(32), pages: 0, startedAt: 1 };
  let announce = (): void => {};
  const fleet = {
    listen(_subject: string, listener: (message: Msg) => void) {
      announce = () => listener({ string: () => JSON.stringify(machine) } as Msg);
      return { unsubscribe() {} };
    },
    say: () => announce(),
    checkAllowed: async () => {},
  } as unknown as Fleet;
  const live = await watchTools(fleet, "quay");
  onTestFinished(() => live.close());
  const seen: unknown[] = [];
  const gone = new Promise<void>((resolve) => {
    live.watch(() => {
      seen.push(live.current?.digest);
      if (live.current === undefined) resolve();
    });
  });
  expect(live.current?.digest).toBe(machine.digest);
  await nextTurn();
  for (const until = performance.now() + 1_300; performance.now() < until;);
  setImmediate(announce);
  const heardAt = performance.now();
  await gone;
  expect(performance.now() - heardAt).toBeGreaterThan(990);
  expect(seen).toEqual([undefined]);
});
