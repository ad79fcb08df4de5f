// Tabs that do not behave: frames that are none, floods, and tabs that read nothing and answer nothing. Each
// is closed in its time, holds nobody else up for long, and takes no memory with it.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { shellLimits } from "../../src/limits.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { createTabs, type TabsOptions } from "../../src/server/tabs.ts";
import { encodeRawFrame, linkHeaders, opcodes, openRaw, openRawTab, upgradeHead, type Door } from "./raw-socket.ts";
import { oddRuntime, openStage, type Stage } from "./stage.ts";

const { text, binary, continuation, ping } = opcodes;
const doorOf = ({ shell, credential }: Stage): Door => ({ port: shell.port, credential });

/** Tabs on a server of their own, whose times the test chooses. */
async function openTabs(options: Partial<TabsOptions>) {
  const tabs = createTabs({ send: async () => {}, ...options });
  const grant = { join: () => () => {} };
  const connections: Socket[] = [];
  const server = createServer()
    .on("connection", (socket) => connections.push(socket))
    .on("upgrade", (request, socket, head) => tabs.connect({ request, socket, head, grant }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    tabs,
    door: { port: (server.address() as AddressInfo).port, credential: "any" },
    bytesRead: () => connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    async [Symbol.asyncDispose]() {
      tabs.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a frame", () => {
  it("that is none of a page's ends its tab; the others and the runtime go on", async () => {
    await using stage = await openStage();
    const honest = await stage.connect();
    await honest.next("ready");
    const frames = {
      unmasked: encodeRawFrame(text, "{}", { isMasked: false }),
      binary: encodeRawFrame(binary, "{}"),
      "not UTF-8": encodeRawFrame(text, Buffer.from([0xff, 0xfe])),
      "of a gigabyte": Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0]),
      "of 2^63 bytes": Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      "of an unknown kind": encodeRawFrame(3, "x"),
      "with reserved bits": Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
      "compressed, which was not agreed": Buffer.from([0xc1, 0x80, 0, 0, 0, 0]),
      "that continues nothing": encodeRawFrame(continuation, "x"),
      "of two lines": encodeRawFrame(text, "{}\n{}"),
      "a long ping": encodeRawFrame(ping, Buffer.alloc(200)),
      "no frame at all": Buffer.from("GET / HTTP/1.1\r\n\r\n"),
      "in twenty thousand pieces": Buffer.concat([
        encodeRawFrame(text, "x", { isLast: false }),
        ...Array.from({ length: 20_000 }, () => encodeRawFrame(continuation, "x", { isLast: false })),
      ]),
    };
    for (const [name, bytes] of Object.entries(frames)) {
      using tab = await openRawTab(doorOf(stage));
      tab.socket.write(bytes);
      expect(await Promise.race([tab.closed, wait(40_000, "still open")]), name).toContain("101");
    }
    honest.send({ id: "t1", kind: "user_message", message: "what is 2 + 2?" });
    await honest.next('"t1","type":"done"');
    expect(honest.frames.filter((frame) => frame.startsWith("<"))).toEqual([]);
  });

  it("may come in pieces, with a ping between them, and is one line then", async () => {
    await using stage = await openStage();
    using tab = await openRawTab(doorOf(stage));
    await tab.next('"ready"');
    const line = JSON.stringify({ id: "t1", kind: "user_message", message: "what is 2 + 2?" });
    tab.socket.write(encodeRawFrame(text, line.slice(0, 5), { isLast: false }));
    tab.socket.write(encodeRawFrame(ping, "?"));
    tab.socket.write(encodeRawFrame(continuation, line.slice(5)));
    expect(await tab.next('"id":"t1","type":"done"')).not.toContain('"type":"error"');
  });
});

/** Whatever it is, it lets a flood begin. */
const anything = { id: "t1", kind: "user_message", message: "talk" };

// They wait for most of their time, each on a stage of its own.
describe.concurrent("a flood", () => {
  it("of lines to a runtime that does not read waits in the tab, not in memory", async () => {
    await using stage = await openStage(oddRuntime("deaf"));
    const tab = await stage.connect();
    await tab.next("ready");
    const line = JSON.stringify({ id: "x", kind: "get_status", filler: "y".repeat(10_000) });
    const before = tab.frames.length;
    for (let count = 0; count < 20_000 && tab.socket.bufferedAmount < 128_000_000; count++) tab.socket.send(line);
    await untilStill(() => tab.socket.bufferedAmount);
    // More than may wait for the runtime would be refused, and the tab told so.
    expect(tab.frames.slice(before)).toEqual([]);
    // The rest is what the system holds for a connection, which differs by machine.
    expect(tab.socket.bufferedAmount).toBeGreaterThan(64_000_000);
    tab.socket.terminate();
  });

  it("of pings is not answered, so that it fills nothing", async () => {
    await using stage = await openStage();
    using tab = await openRawTab(doorOf(stage));
    await tab.next('"ready"');
    const before = tab.received().length;
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => encodeRawFrame(ping, Buffer.alloc(100))));
    for (let round = 0; round < 10; round++) tab.socket.write(pings);
    tab.socket.write(encodeRawFrame(text, JSON.stringify({ id: "s", kind: "get_status" })));
    const received = await tab.next('"status"');
    expect(received.length - before).toBeLessThan(10_000);
  });

  it("of the runtime is held back by a tab that reads slowly, and every line of it comes", async () => {
    const lines = 5_000;
    await using stage = await openStage(oddRuntime("flood", lines));
    const tab = await stage.connect();
    await tab.next("ready");
    tab.send(anything);
    // Long enough for more than may be held for a tab, and together far less than it has before it is closed.
    for (const pauseMs of [2_000, 100, 100]) {
      tab.socket.pause();
      await wait(pauseMs);
      tab.socket.resume();
      await wait(20);
    }
    await tab.next('"done"');
    expect(tab.frames.filter((frame) => frame.includes('"token"'))).toHaveLength(lines);
  });

  it("of the runtime ends a tab that reads nothing; the others get all of it", async () => {
    const lines = 3_000;
    await using stage = await openStage(oddRuntime("flood", lines));
    using asleep = await openRawTab(doorOf(stage));
    asleep.socket.pause();
    const tab = await stage.connect();
    await tab.next("ready");
    tab.send(anything);
    await tab.next('"done"');
    expect(tab.frames.filter((frame) => frame.includes('"token"'))).toHaveLength(lines);
    asleep.socket.resume();
    expect(await asleep.closed).toContain("101");
    // What it was sent before is bounded, and the end of the flood was not.
    expect(asleep.received()).not.toContain('"done"');
  });
});

describe("G10 what all tabs hold together", () => {
  it("is bounded for messages that have not come to their end, and each of them is read in the end", async () => {
    const lines: number[] = [];
    await using stage = await openTabs({ send: async (line) => void lines.push(line.length) });
    const bytes = 8_000_000;
    // A private line, which the others do not get.
    const frame = encodeRawFrame(text, Buffer.alloc(bytes + 1, "*"));
    const raws = await Promise.all(Array.from({ length: 24 }, () => openRawTab(stage.door)));
    const before = process.memoryUsage().arrayBuffers;
    for (const { socket } of raws) socket.write(frame.subarray(0, -1));
    await untilStill(() => raws.reduce((sum, { socket }) => sum + socket.writableLength, 0));
    expect(lines).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64_000_000);
    for (const { socket } of raws) socket.write(frame.subarray(-1));
    await expect.poll(() => lines, { timeout: 60_000 }).toEqual(raws.map(() => bytes));
    for (const raw of raws) raw[Symbol.dispose]();
  });

  it("is bounded for tabs that are too many: what they send is not read", async () => {
    await using stage = await openTabs({});
    const raws = await Promise.all(Array.from({ length: shellLimits.shellConnections }, () => openRawTab(stage.door)));
    const frame = encodeRawFrame(text, Buffer.alloc(8_000_000, "*"));
    const before = stage.bytesRead();
    const others = await Promise.all(Array.from({ length: 60 }, () => openRawTab(stage.door)));
    for (const { socket } of others) socket.write(frame.subarray(0, -1));
    await Promise.all(others.map(({ closed }) => closed));
    expect(stage.bytesRead() - before).toBeLessThan(32_000_000);
    for (const raw of [...raws, ...others]) raw[Symbol.dispose]();
  });

  it("is bounded for what a tab tells the others: it waits for one that does not read, and all of it comes", async () => {
    let taken = 0;
    await using stage = await openTabs({ send: async () => void taken++, slowMs: 600_000 });
    using asleep = await openRawTab(stage.door);
    asleep.socket.pause();
    using talking = await openRawTab(stage.door);
    const line = encodeRawFrame(text, "x".repeat(4_000_000));
    const count = 12;
    for (let sent = 0; sent < count; sent++) talking.socket.write(line);
    await untilStill(() => talking.socket.writableLength);
    // What the system holds for a connection differs by machine.
    expect(taken).toBeLessThan(count / 2);
    asleep.socket.resume();
    await expect.poll(() => taken, { timeout: 60_000 }).toBe(count);
  });
});

/** Until a number has not changed for a while. */
async function untilStill(read: () => number): Promise<void> {
  let [before, after] = [Number.NaN, read()];
  for (let round = 0; round < 50 && before !== after; round++) {
    await wait(500);
    [before, after] = [after, read()];
  }
}

describe("two hundred tabs", () => {
  it("are let in up to the bound; those beyond are told why, and one that leaves makes room", async () => {
    await using stage = await openStage();
    const protocols = ["hawser", `hawser.key.${stage.credential}`];
    const open = () => new WebSocket(`ws://127.0.0.1:${stage.shell.port}/link`, protocols, { origin: stage.origin });
    const sockets = Array.from({ length: 200 }, open);
    const ends = sockets.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.on("message", () => resolve("in"));
          socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`));
          // More connections than the server holds at all are not even heard.
          socket.on("error", () => resolve("not heard"));
        }),
    );
    const outcomes = await Promise.all(ends);
    expect(outcomes.filter((outcome) => outcome === "in")).toHaveLength(shellLimits.shellConnections);
    expect(outcomes).toContain(`1013 ${shellLimits.shellConnections} tabs are open already; close one of them`);
    for (const socket of sockets) socket.terminate();
    await expect.poll(async () => (await stage.connect()).next("ready").then(() => true), { timeout: 30_000 }).toBe(true);
  });
});

describe("a tab that does not answer", () => {
  it("is closed after its second ping; one that does answer stays", async () => {
    // The test says when it is time for a ping, so that no answer comes too late on a busy machine.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let onLine = (): void => {};
    await using stage = await openTabs({ pingMs: 500, send: async () => onLine() });
    const honest = new WebSocket(`ws://127.0.0.1:${stage.door.port}/link`);
    await once(honest, "open");
    using dead = await openRawTab(stage.door);
    for (let pings = 0; pings < 4; pings++) {
      vi.advanceTimersByTime(500);
      await once(honest, "ping");
      // It has answered by itself, and what it sends now is read after that.
      const { promise: isRead, resolve } = Promise.withResolvers<void>();
      onLine = resolve;
      honest.send("{}");
      await isRead;
      // Then it is read from again.
      await nextTurn();
      if (pings === 0) expect(dead.socket.readyState).toBe("open");
    }
    expect(await Promise.race([dead.closed, wait(30_000, "still open")])).toContain("101");
    expect(honest.readyState).toBe(WebSocket.OPEN);
    honest.terminate();
  });

  it("has answered if its pong lies there while this process stands still until the next ping is due", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    await using stage = await openTabs({ pingMs: 500 });
    const honest = new WebSocket(`ws://127.0.0.1:${stage.door.port}/link`);
    const closed = once(honest, "close").then(() => "closed");
    await once(honest, "open");
    const pinged = new Promise<void>((resolve) =>
      honest.once("ping", () => {
        setTimeout(() => (vi.advanceTimersByTime(500), resolve()), 1);
        // Its pong has just been written; from here the timers come next, and only behind them what lies in a socket.
        for (const end = performance.now() + 20; performance.now() < end;);
      }),
    );
    vi.advanceTimersByTime(500);
    await pinged;
    expect(await Promise.race([closed, once(honest, "ping").then(() => "asked again")])).toBe("asked again");
    honest.terminate();
  });

  it("is not waited for at the end, nor is half a connection that was refused", async () => {
    const stage = await openStage();
    using tab = await openRawTab(doorOf(stage));
    using refused = await openRaw(stage.shell.port, upgradeHead(linkHeaders({ ...doorOf(stage), credential: "wrong" })));
    await refused.next("401");
    tab.socket.pause();
    const end = stage[Symbol.asyncDispose]().then(() => "closed");
    // The runtime's own end takes its time too.
    expect(await Promise.race([end, wait(50_000, "still open")])).toBe("closed");
  });
});
