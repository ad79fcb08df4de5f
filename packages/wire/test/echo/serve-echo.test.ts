// The echo server over memory: one end per request whatever happens to it, control messages that
// never wait, a bounded queue, and ids that come back to the letter.

import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveEcho, type ServeEchoOptions } from "../../src/echo/serve-echo.ts";
import { echoProtocol, HawserError } from "@hawser/protocol";
import { createMemoryPair } from "../../src/transport/memory-transport.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { until } from "../../../../test/kit/until.ts";
import { wait } from "../pipes.ts";
import { createRandom } from "../random.ts";
import { createEchoClient, type EchoClient } from "./echo-client.ts";

function start(options: ServeEchoOptions = {}): { client: EchoClient; mine: Transport; served: Promise<void> } {
  const [mine, theirs] = createMemoryPair();
  const served = serveEcho(theirs, options);
  onTestFinished(async () => {
    await mine.close();
    await served;
  });
  return { client: createEchoClient(mine), mine, served };
}

const sleep = (id: string, ms = 3_600_000): object => ({ id, kind: "sleep", ms });

describe("a request", () => {
  it("R131 of every kind gets its answers and exactly one end", async () => {
    const { client } = start();
    await client.send({ id: "e", kind: "echo", value: { deep: [1, "é"] } }, sleep("s", 5), { id: "p", kind: "stream", count: 3, bytes: 2 });
    await client.send({ id: "c", kind: "cancel", target: "nobody" }, { id: "t", kind: "status" });
    await client.ends(5);
    expect(client.of("e")).toEqual([{ id: "e", type: "echoed", value: { deep: [1, "é"] } }]);
    expect(client.of("s")).toEqual([{ id: "s", type: "done" }]);
    expect(client.of("p")).toEqual([
      ...[0, 1, 2].map((index) => ({ id: "p", type: "piece", index, text: "xx" })),
      { id: "p", type: "done" },
    ]);
    expect(client.of("c")).toEqual([{ id: "c", type: "done", cancelled: 0 }]);
    expect(client.of("t")).toHaveLength(1);
    for (const { value } of client.answers) expect(echoProtocol.parseResponse(value)).toEqual(value);
  });

  it("R146 with an id that is in flight is refused, and the first is unharmed", async () => {
    const { client } = start();
    await client.send(sleep("a", 500), { id: "a", kind: "echo", value: 1 });
    await client.ends(2);
    expect(client.of("a")).toMatchObject([{ type: "error", code: "duplicate_id" }, { type: "done" }]);
    await client.send({ id: "a", kind: "echo", value: 2 });
    await client.ends(3);
    expect(client.of("a")[2]).toEqual({ id: "a", type: "echoed", value: 2 });
  });

  it("R133 of an unknown kind, or with a bad field, is answered with its id", async () => {
    const { client } = start();
    await client.send({ id: "u", kind: "zzz" }, { id: "p", kind: "__proto__" }, { id: "f", kind: "sleep", ms: "soon" });
    await client.ends(3);
    expect(client.of("u")).toMatchObject([{ type: "error", code: "unknown_method" }]);
    expect(client.of("p")).toMatchObject([{ type: "error", code: "unknown_method" }]);
    expect(client.of("f")).toMatchObject([{ type: "error", code: "invalid_message", error: expect.stringContaining('"ms"') }]);
  });

  it("G6 without an id, or with null, is answered without one", async () => {
    const { client } = start();
    await client.send({ kind: "status" }, { id: null, kind: "status" }, [], 1, null, "x", true, {});
    expect(await client.ends(8)).toEqual(
      Array.from({ length: 8 }, () => ({ type: "error", code: "invalid_message", error: expect.any(String) })),
    );
  });

  it.each(["9007199254740993", "-9007199254740992", "1e400", "1.5", "1.0", "-0", "true", "{}", "[]", '[ 1,\t"\\u0041" ]', '""'])(
    "WIR-10 G6 with the id %s, which is no proper string, is refused with that id to the letter",
    async (source) => {
      const { client } = start();
      await client.sendText(`{"kind":"echo","value":1,"id":${source}}`);
      expect(await client.ends(1)).toMatchObject([{ type: "error", code: "invalid_message" }]);
      expect(client.answers[0]?.text).toContain(`{"id":${source},"type":"error"`);
    },
  );

  it.each([" ", "💥", "\\u0061\\/", "x".repeat(1_048_576)])("WIR-10 G6 gets a string id back as it was written", async (inside) => {
    const { client } = start();
    await client.sendText(`{"kind":"echo","value":1,"id":"${inside}"}`);
    await client.ends(1);
    expect(client.answers[0]?.text).toBe(`{"id":"${inside}","type":"echoed","value":1}`);
  });
});

describe("control", () => {
  it("H21 O6 cancel overtakes what runs and what waits, and each still gets its one end", async () => {
    const { client } = start({ workers: 1 });
    await client.send(sleep("running"), sleep("waiting"), { id: "c1", kind: "cancel", target: "waiting" });
    await client.ends(2);
    expect(client.of("c1")).toEqual([{ id: "c1", type: "done", cancelled: 1 }]);
    expect(client.of("waiting")).toEqual([{ id: "waiting", type: "error", code: "cancelled", error: "cancelled by request c1" }]);
    await client.send({ id: "c2", kind: "cancel", target: "running" });
    await client.ends(4);
    expect(client.of("running")).toEqual([{ id: "running", type: "error", code: "cancelled", error: "cancelled by request c2" }]);
    await client.send({ id: "next", kind: "echo", value: 1 });
    await client.ends(5);
    expect(client.of("next")).toHaveLength(1);
  });

  it("R129 status is answered while everything is busy, with the true numbers", async () => {
    const { client } = start({ workers: 2, queueSize: 10 });
    await client.send(...Array.from({ length: 7 }, (_, n) => sleep(String(n))), { id: "t", kind: "status" });
    await client.ends(1);
    expect(client.of("t")).toEqual([{ id: "t", type: "status", running: 2, waiting: 5 }]);
  });

  it("a cancelled stream sends no piece after its end", async () => {
    const { client } = start();
    await client.send({ id: "s", kind: "stream", count: 100_000_000, bytes: 10 });
    await until(() => client.answers.length > 50);
    await client.send({ id: "c", kind: "cancel", target: "s" });
    await client.ends(2);
    await wait(20);
    const mine = client.of("s");
    expect(mine.filter(({ type }) => type !== "piece")).toMatchObject([{ code: "cancelled" }]);
    expect(mine.at(-1)?.type).toBe("error");
  });
});

describe("many requests", () => {
  it("G11 RPC-02 a full queue stops the reading: 1,000 requests on one worker and 4 places get 1,000 answers", async () => {
    const { client } = start({ workers: 1, queueSize: 4 });
    let sent = 0;
    const sending = (async () => {
      for (; sent < 1_000; sent++) await client.send(sleep(String(sent), 1));
    })();
    await client.ends(10);
    expect(sent).toBeLessThan(600);
    await sending;
    const ends = await client.ends(1_000);
    expect(ends.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
  });

  it("G1 random requests, cancels and duplicates: every request ends exactly once, and nothing follows its end", async () => {
    const random = createRandom(11);
    const { client } = start({ workers: 3, queueSize: 5 });
    for (let n = 0; n < 600; n++) {
      await client.send(randomRequest(random.below(5), n), { id: `stop-${n}`, kind: "cancel", target: String(n - random.below(3)) });
    }
    await client.ends(1_200);
    for (let n = 0; n < 600; n++) {
      const answers = client.of(String(n));
      expect(
        answers.filter(({ type }) => type !== "piece"),
        `request ${n}`,
      ).toHaveLength(1);
      expect(answers.at(-1)?.type).not.toBe("piece");
    }
  });
});

describe("the end", () => {
  it("G8 a peer that leaves ends what ran for it, and the serving", async () => {
    const { client, mine, served } = start({ workers: 1 });
    await client.send(sleep("running"), sleep("waiting"), { id: "s", kind: "stream", count: 100_000_000, bytes: 1 });
    await mine.close();
    expect(await served).toBeUndefined();
  });

  it("G8 stopping refuses what is new and lets what runs finish; cancelling ends it with its one answer", async () => {
    const [stopping, cancelling] = [new AbortController(), new AbortController()];
    const { client, served } = start({ lifecycle: { stopping: stopping.signal, cancelling: cancelling.signal } });
    await client.send(sleep("short", 50), sleep("long"), { id: "t", kind: "status" });
    await client.ends(1);
    stopping.abort(new HawserError("cancelled", "told to stop"));
    await client.send({ id: "late", kind: "echo", value: 1 });
    await client.ends(3);
    expect(client.of("late")).toEqual([{ id: "late", type: "error", code: "cancelled", error: "told to stop" }]);
    expect(client.of("short")).toEqual([{ id: "short", type: "done" }]);
    cancelling.abort(new HawserError("cancelled", "time is over"));
    await served;
    expect(client.of("long")).toEqual([{ id: "long", type: "error", code: "cancelled", error: "time is over" }]);
  });
});

describe("a cancelled serving", () => {
  it("G1 G8 answers also what was still waiting for room in the queue when it was cancelled", async () => {
    const cancelling = new AbortController();
    const { client } = start({
      workers: 1,
      queueSize: 2,
      lifecycle: { stopping: new AbortController().signal, cancelling: cancelling.signal },
    });
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    void client.send(...ids.map((id) => sleep(id)));
    await wait(20);
    cancelling.abort(new HawserError("cancelled", "time is over"));
    await client.ends(20);
    for (const id of ids) expect(client.of(id)).toEqual([{ id, type: "error", code: "cancelled", error: "time is over" }]);
  });

  it("leaves no listener on a lifecycle that outlives it", async () => {
    const [stopping, cancelling] = [new AbortController().signal, new AbortController().signal];
    for (let round = 0; round < 20; round++) {
      const [mine, theirs] = createMemoryPair();
      const served = serveEcho(theirs, { lifecycle: { stopping, cancelling } });
      await mine.close();
      await served;
    }
    expect([getEventListeners(stopping, "abort").length, getEventListeners(cancelling, "abort").length]).toEqual([0, 0]);
  });
});

function randomRequest(kind: number, n: number): object {
  const id = String(n);
  if (kind === 0) return sleep(id, 30);
  if (kind === 1) return sleep(id, n % 7);
  if (kind === 2) return { id, kind: "stream", count: n % 20, bytes: 3 };
  if (kind === 3) return { id, kind: "nonsense" };
  return { id, kind: "echo", value: n };
}
