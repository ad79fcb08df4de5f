// A host that stops reading, comes back (`subscribe`), cancels, and reads on, in every order that chance finds. Each
// message of the runtime waits until the host takes it, so that a run is the same every time. Whatever the
// order: each request has one end, nothing comes after it, and what comes again is what came before.

import { setImmediate as nextLoop } from "node:timers/promises";
import fc from "fast-check";
import { toJsonText, type Incoming, type Transport } from "@hawser/wire/internal";
import type { AnyAgentResponse, HawserError } from "@hawser/protocol";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { serveAgent } from "../../src/runtime/serve-agent.ts";
import { checkEnds, isEnd } from "../attack/process-stage.ts";
import { partsOf, say } from "./stage.ts";

// Hundreds of refused lines are logged.
beforeAll(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));

type Line = AnyAgentResponse & { readonly id: string; readonly seq?: number };

/** Values that somebody puts in and somebody else waits for. */
function createQueue<Value>(): { put(value: Value): void; end(): void; values: AsyncIterable<Value> } {
  const waiting: Value[] = [];
  let isOver = false;
  let wake = (): void => {};
  const change = (): void => wake();
  return {
    put: (value) => (waiting.push(value), change()),
    end: () => ((isOver = true), change()),
    values: {
      async *[Symbol.asyncIterator]() {
        for (;;) {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
          if (isOver) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
  };
}

interface SlowHost {
  readonly lines: Line[];
  send(request: object): Promise<void>;
  write(text: string): Promise<void>;
  /** The model says one more word. */
  speak(): Promise<void>;
  /** Takes so many messages. */
  read(count: number): Promise<void>;
  /** Reads everything, ends the input, and waits for the end. */
  finish(): Promise<void>;
}

/** Time for everything that waits for no message to be taken. */
async function settle(): Promise<void> {
  for (let count = 0; count < 4; count++) await nextLoop();
}

function openSlowHost(): SlowHost {
  const requests = createQueue<Incoming>();
  const words = createQueue<string>();
  const lines: Line[] = [];
  /** The one message that the runtime is sending. */
  let offered: { readonly text: string; taken(): void } | undefined;
  let position = 0;
  const transport: Transport = {
    incoming: requests.values,
    closed: new Promise<HawserError | undefined>(() => {}),
    close: () => Promise.resolve(),
    send(message) {
      expect(offered).toBeUndefined();
      return new Promise((taken) => (offered = { text: toJsonText(message), taken }));
    },
  };
  async function* script(): AsyncGenerator<{ type: "text"; text: string }> {
    for await (const text of words.values) yield { type: "text", text };
  }
  const served = serveAgent(transport, partsOf({ script }));
  let spoken = 0;

  function take(): boolean {
    if (!offered) return false;
    const { text, taken } = offered;
    offered = undefined;
    lines.push(JSON.parse(text) as Line);
    taken();
    return true;
  }

  async function read(count: number): Promise<void> {
    for (let read = 0; read < count; read++) {
      await settle();
      if (!take()) return;
    }
    await settle();
  }

  async function write(text: string): Promise<void> {
    requests.put({ kind: "message", value: JSON.parse(text), text, position: ++position });
    await settle();
  }

  return {
    lines,
    read,
    write,
    send: (request) => write(JSON.stringify(request)),
    async speak() {
      words.put(`word-${++spoken} `);
      await settle();
    },
    async finish() {
      words.end();
      requests.end();
      const isServed = served.then(() => true);
      while (!(await Promise.race([isServed, settle().then(() => false)]))) take();
      while (take());
    },
  };
}

/** What comes again is what came before, nothing is missing, and the end is the last. */
function checkTurn(lines: readonly Line[], id: string): void {
  const own = lines.filter((line) => line.id === id);
  const seen = new Map<number, string>();
  for (const line of own) {
    const seq = line.seq ?? 0;
    const text = JSON.stringify(line);
    if (seen.has(seq)) expect(text).toBe(seen.get(seq));
    else expect(seq).toBe(seen.size + 1);
    seen.set(seq, text);
  }
  expect(own.filter(isEnd)).toHaveLength(1);
  expect(own.at(-1)).toMatchObject({ seq: seen.size });
  expect(isEnd(own.at(-1) as Line)).toBe(true);
}

function checkAll({ lines }: SlowHost, asked: readonly string[]): void {
  checkEnds(lines);
  for (const id of asked) expect([id, lines.filter((line) => line.id === id && isEnd(line)).length]).toEqual([id, 1]);
}

describe("R131 a host that stalls, subscribes and cancels", () => {
  it("gets one end and nothing after it when it subscribes behind its cancel", async () => {
    const host = openSlowHost();
    await host.send(say("t", "go", "c"));
    for (let count = 0; count < 5; count++) {
      await host.speak();
      await host.read(1);
    }
    await host.send({ id: "stop", kind: "cancel", target: "t" });
    await host.send({ id: "again", kind: "subscribe", conversationId: "c" });
    await host.finish();
    checkAll(host, ["t", "stop", "again"]);
    checkTurn(host.lines, "t");
    expect(host.lines.find(({ id, type }) => id === "again" && type === "done")).not.toHaveProperty("data");
    // The host that came back knows the end of the turn before it is told that none runs.
    const ends = host.lines.filter(isEnd).map(({ id }) => id);
    expect(ends.indexOf("t")).toBeLessThan(ends.indexOf("again"));
  });

  it("knows the end of a turn before it is told that none runs, also where what is sent again stands before that end", async () => {
    const host = openSlowHost();
    await host.send(say("t", "go", "c"));
    for (let count = 0; count < 5; count++) {
      await host.speak();
      await host.read(1);
    }
    await host.send({ id: "back", kind: "subscribe", conversationId: "c" });
    await host.send({ id: "stop", kind: "cancel", target: "t" });
    await host.send({ id: "again", kind: "subscribe", conversationId: "c" });
    await host.finish();
    checkAll(host, ["t", "back", "stop", "again"]);
    checkTurn(host.lines, "t");
    const ends = host.lines.filter(isEnd).map(({ id }) => id);
    expect(ends.indexOf("t")).toBeLessThan(ends.indexOf("again"));
  });

  it("follows the turn that runs now, although the end of the one before it waits to be read", async () => {
    const host = openSlowHost();
    await host.send(say("first", "go", "c"));
    await host.send(say("second", "go", "c"));
    await host.speak();
    await host.send({ id: "stop", kind: "cancel", target: "first" });
    await host.speak();
    await host.send({ id: "again", kind: "subscribe", conversationId: "c" });
    await host.finish();
    checkAll(host, ["first", "second", "stop", "again"]);
    checkTurn(host.lines, "first");
    checkTurn(host.lines, "second");
    expect(host.lines.find(({ id, type }) => id === "again" && type === "done")).toMatchObject({ data: { running: "second" } });
  });

  it("has the same in every order of reading, speaking, subscribing, cancelling and lines that are refused under its id", async () => {
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.nat(6).map((count) => ({ do: "read" as const, count })) },
      { weight: 6, arbitrary: fc.constant({ do: "speak" as const, count: 0 }) },
      { weight: 2, arbitrary: fc.nat(4).map((count) => ({ do: "subscribe" as const, count })) },
      { weight: 1, arbitrary: fc.constant({ do: "cancel" as const, count: 0 }) },
      { weight: 1, arbitrary: fc.constant({ do: "broken" as const, count: 0 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 24 }), async (actions) => {
        const host = openSlowHost();
        const asked = ["t", "next"];
        await host.send(say("t", "go", "c"));
        await host.send(say("next", "go", "c"));
        // Once it has ended, what is sent under its id is a request of its own.
        const isOpen = (at: number): boolean => !actions.slice(0, at).some(({ do: verb }) => verb === "cancel");
        for (const [at, { do: verb, count }] of actions.entries()) {
          if (verb === "read") await host.read(count);
          else if (verb === "speak") await host.speak();
          else if (verb === "broken") await (isOpen(at) && host.send({ id: "t", kind: "nonsense" }));
          else {
            const id = `${verb}-${at}`;
            asked.push(id);
            await host.send(
              verb === "cancel" ? { id, kind: "cancel", target: "t" } : { id, kind: "subscribe", conversationId: "c", since: count },
            );
          }
        }
        await host.finish();
        expect(host.lines.filter(isEnd)).toHaveLength(asked.length);
        checkAll(host, asked);
        for (const id of ["t", "next"]) checkTurn(host.lines, id);
      }),
      { numRuns: 150, seed: 14 },
    );
  });
});
