// A call of which nothing is heard any more ends; one of which something has come, and was not read yet, goes on.

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Msg } from "@nats-io/transport-node";
import type { Fleet } from "../src/connect.ts";
import { fleetLimits } from "../src/limits.ts";
import { createFleetCalls } from "../src/tools/call-tools.ts";
import type { LiveTools } from "../src/tools/live-tools.ts";

/** One call, and a hand that puts what its machine says into this process. */
function startCall() {
  const { fleetSilenceMs, fleetBeatMs } = fleetLimits;
  Object.assign(fleetLimits, { fleetSilenceMs: 200, fleetBeatMs: 40 });
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
  const hear = (text: string): void => take({ subject: "inbox.1", data: Buffer.from(text), string: () => text } as Msg);
  return { outcome, hear };
}

it("a sign of life that lay there while this process stood still counts, however long that was", async () => {
  const { outcome, hear } = startCall();
  outcome.catch(() => {});
  // From here the timers come next, and only behind them what lay there: so does what lies in a socket.
  await nextTurn();
  for (const until = performance.now() + 400; performance.now() < until;);
  setImmediate(hear, "");
  await new Promise((resolve) => setTimeout(resolve, 60));
  hear('{"result":{"content":[{"type":"text","text":"welded"}]}}');
  expect((await outcome).result.content).toEqual([{ type: "text", text: "welded" }]);
});

it("silence ends a call with an unknown outcome", async () => {
  await expect(startCall().outcome).rejects.toMatchObject({ code: "unknown_outcome", message: expect.stringContaining("It may have run") });
});
