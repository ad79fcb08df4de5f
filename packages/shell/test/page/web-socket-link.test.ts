// The link over a real WebSocket: lines in both directions, what other tabs say, and what happens when the
// connection or the runtime is lost.

import { describe, expect, it } from "vitest";
import type { LostRuntime, ParsedLine } from "@hawser/agent/host/link";
import { createWebSocketLink } from "../../src/page/links/web-socket-link.ts";
import type { LinkState } from "../../src/page/state/page-state.ts";
import { freeAccess, startPageServer, startRefusingServer } from "./page-server.ts";

function openLink(url: string, { longestPauseMs = 40, access = freeAccess } = {}) {
  const overheard: ParsedLine[] = [];
  const states: LinkState[] = [];
  const link = createWebSocketLink({
    url,
    access,
    firstPauseMs: 5,
    longestPauseMs,
    onOverheard: (line) => void overheard.push(line),
    onState: (state) => void states.push(state),
  });
  const items = link.incoming[Symbol.asyncIterator]();
  const next = async () => (await items.next()).value as ParsedLine | LostRuntime;
  return { link, overheard, states, next };
}

describe("the WebSocket link", () => {
  it("hands on lines of the runtime, tells those of other tabs, and sends requests", async () => {
    await using server = await startPageServer();
    const { link, overheard, next } = openLink(server.url);
    const connection = await server.connection();
    connection.tell({ kind: "request", line: '{"id":"1","kind":"get_status"}' });
    connection.respond({ type: "ready", timestamp: 1 });
    expect(await next()).toEqual({ value: { type: "ready", timestamp: 1 }, text: '{"type":"ready","timestamp":1}' });
    await link.send('{"id":"2","kind":"list_models"}');
    expect(await connection.request()).toEqual({ id: "2", kind: "list_models" });
    expect(overheard).toEqual([{ value: { id: "1", kind: "get_status" }, text: '{"id":"1","kind":"get_status"}' }]);
    link.close?.();
  });

  it("connects again after each loss, and says that what was asked is lost", async () => {
    await using server = await startPageServer();
    const { link, states, next } = openLink(server.url);
    for (const timestamp of [1, 2, 3]) {
      const connection = await server.connection();
      connection.tell({ kind: "state", state: { runtime: "running" } });
      connection.respond({ type: "ready", timestamp });
      expect(await next()).toMatchObject({ value: { timestamp } });
      connection.drop();
      expect(await next()).toMatchObject({ lost: { code: "connection_lost" } });
    }
    expect(states.map(({ phase }) => phase).slice(0, 6)).toEqual(["connecting", "open", "closed", "connecting", "open", "closed"]);
    link.close?.();
  });

  it.each(["restarting", "failed"] as const)("says that the runtime is lost when the server calls it %s", async (runtime) => {
    await using server = await startPageServer();
    const { link, states, next } = openLink(server.url);
    const connection = await server.connection();
    connection.tell({ kind: "state", state: { runtime, message: "exit code 3" } });
    expect(await next()).toMatchObject({ lost: { message: "exit code 3" } });
    expect(states.at(-1)).toEqual({ phase: "open", runtime, message: "exit code 3" });
    link.close?.();
  });

  it("waits longer after each failure, up to a bound, and tries at once when asked", async () => {
    // Nobody else can be given its port, as one where nobody listens could.
    await using server = await startRefusingServer();
    const { link, states } = openLink(server.url);
    await expect.poll(() => states.filter(({ phase }) => phase === "closed").length, { timeout: 30_000 }).toBeGreaterThan(4);
    expect(states.flatMap(({ retryInMs }) => retryInMs ?? []).slice(0, 5)).toEqual([5, 10, 20, 40, 40]);
    const tries = states.length;
    link.retry();
    expect(states.length).toBeGreaterThanOrEqual(tries);
    link.close?.();
    expect(states.at(-1)?.phase).toBe("ended");
  });

  it("waits longer when a connection is closed as soon as it is open, and says what the server says", async () => {
    await using server = await startPageServer();
    // A connection that lasts as long as the longest pause counts as a good one; none does here, on a busy machine either.
    const { link, states } = openLink(server.url, { longestPauseMs: 600_000 });
    for (let count = 0; count < 4; count++) (await server.connection()).close(1013, "32 tabs are open already");
    const closed = () => states.filter(({ phase }) => phase === "closed");
    await expect.poll(() => closed().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
    expect(
      closed()
        .slice(0, 4)
        .map(({ retryInMs }) => retryInMs),
    ).toEqual([5, 10, 20, 40]);
    expect(closed()[0]?.message).toBe("32 tabs are open already");
    link.close?.();
  });

  it("refuses to send while it is not connected, and keeps a line that is no JSON for the wire view", async () => {
    await using server = await startPageServer();
    const { link, next } = openLink(server.url);
    expect(() => link.send("{}")).toThrow(/not connected/);
    const connection = await server.connection();
    connection.tell({ kind: "response", line: "{oops" });
    expect(await next()).toEqual({ value: "{oops", text: "{oops" });
    link.close?.();
  });

  it("shows its credential as a subprotocol, and after a loss the one that is good then", async () => {
    await using server = await startPageServer();
    let count = 0;
    const access = { subprotocols: () => ["hawser", `hawser.key.${count}`], isStillGood: async () => ++count > 0 };
    const { link } = openLink(server.url, { access });
    const first = await server.connection();
    expect(first.offered).toBe("hawser, hawser.key.0");
    first.drop();
    expect((await server.connection()).offered).toBe("hawser, hawser.key.1");
    link.close?.();
  });

  it("ends when there is no access any more, says what the user can do, and tries no more", async () => {
    await using server = await startPageServer();
    let asked = 0;
    const access = { ...freeAccess, isStillGood: async () => ++asked < 1 };
    const { link, states, next } = openLink(server.url, { access });
    (await server.connection()).drop();
    expect(await next()).toMatchObject({ lost: { code: "connection_lost" } });
    expect(await next()).toBeUndefined();
    expect(states.at(-1)).toMatchObject({ phase: "ended", message: expect.stringContaining("press Enter in the terminal") as string });
    link.retry();
    expect(asked).toBe(1);
  });

  it("ends its lines and connects no more once it is closed", async () => {
    await using server = await startPageServer();
    const { link, next } = openLink(server.url);
    await server.connection();
    link.close?.();
    link.retry();
    expect(await next()).toBeUndefined();
  });
});
