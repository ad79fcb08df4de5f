// Cancelling is closing the connection that carries the call: the function's signal is aborted, with a
// reason, and nothing else is touched.

import { describe, expect } from "vitest";
import { z } from "zod";
import { defineTool } from "@hawser/tools";
import { HawserError } from "@hawser/protocol";
import { createContractTools } from "../src/parent/contract-tools.ts";
import { anyTool, echoTool, it, turn } from "./fixtures/parent-it.ts";
import { until } from "../../../test/kit/until.ts";

interface Watched {
  readonly tool: ReturnType<typeof anyTool>;
  readonly signals: AbortSignal[];
  finish(): void;
}

/** A tool that runs until it is told to finish or is aborted. */
function watchedTool(): Watched {
  const signals: AbortSignal[] = [];
  const finished = Promise.withResolvers<string>();
  const tool = anyTool("watched", (_, { signal }) => {
    signals.push(signal);
    return finished.promise;
  });
  return { tool, signals, finish: () => finished.resolve("finished") };
}

const waysToClose = ["end", "destroy"] as const;

describe("closing the connection", () => {
  it.for(["destroy", "both halves"] as const)(
    "R36 H4 BRG-08 WIR-19 (%s) aborts the running function with a clear reason",
    async (way, { start, connect }) => {
      const { tool, signals } = watchedTool();
      const session = await start([tool, echoTool]);
      const client = await connect(session);
      client.call("watched");
      await until(() => signals.length === 1);
      expect(signals[0]?.aborted).toBe(false);
      if (way === "destroy") client.socket.destroy();
      else client.socket.end(() => client.socket.destroy());
      await until(() => signals[0]?.aborted === true);
      const reason: unknown = signals[0]?.reason;
      expect(HawserError.isInstance(reason) && [reason.code, reason.message]).toEqual([
        "cancelled",
        "the client cancelled the call or is gone",
      ]);
      expect((await (await connect(session)).ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
    },
  );

  it("H4 aborts only the call of that connection", async ({ start, connect }) => {
    const { tool, signals, finish } = watchedTool();
    const session = await start([tool]);
    const [first, second] = [await connect(session), await connect(session)];
    first.call("watched");
    await until(() => signals.length === 1);
    second.call("watched");
    await until(() => signals.length === 2);
    first.socket.destroy();
    await until(() => signals[0]?.aborted === true);
    finish();
    expect((await second.next()).result?.content[0]?.text).toBe("finished");
    expect(signals[1]?.aborted).toBe(false);
  });

  it.for(waysToClose)("H4 (%s) after the answer does not abort a call that has finished", async (way, { start, connect }) => {
    const signals: AbortSignal[] = [];
    const tools = [
      anyTool("quick", (_, { signal }) => void signals.push(signal)),
      anyTool("fails", (_, { signal }) => {
        signals.push(signal);
        throw new Error("x");
      }),
    ];
    const client = await connect(await start(tools));
    await client.ask("quick");
    await client.ask("fails");
    client.socket[way]();
    await client.closed;
    await turn(30);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it("H4 what waits behind the cancelled call on its connection is never begun", async ({ start, connect }) => {
    const { tool, signals } = watchedTool();
    const begun: unknown[] = [];
    const client = await connect(await start([tool, anyTool("note", (args) => void begun.push(args))]));
    client.call("watched");
    client.call("note", { n: 1 });
    client.call("note", { n: 2 });
    await until(() => signals.length === 1);
    client.socket.destroy();
    await until(() => signals[0]?.aborted === true);
    await turn(50);
    expect(begun).toEqual([]);
  });

  it("H4 H6 a call that is cancelled while its arguments are still being checked is never begun", async () => {
    const checked = Promise.withResolvers<boolean>();
    const begun: unknown[] = [];
    const input = z.object({ n: z.number().refine(() => checked.promise) });
    const host = createContractTools([defineTool({ name: "slow", description: "", input, run: (args) => void begun.push(args) })]);
    const cancel = new AbortController();
    const answer = host.call("slow", { n: 1 }, { signal: cancel.signal, client: undefined, progress: () => {}, log: () => {} });
    cancel.abort(new HawserError("cancelled", "enough"));
    checked.resolve(true);
    expect(await answer).toEqual({ error: { message: 'tool "slow" failed: enough', type: "IPCError" } });
    expect(begun).toEqual([]);
  });

  it("H4 a function that ignores its signal ends in its own time, and its answer goes nowhere", async ({ start, connect }) => {
    const { tool, signals, finish } = watchedTool();
    const session = await start([tool, echoTool]);
    const client = await connect(session);
    client.call("watched");
    await until(() => signals.length === 1);
    client.socket.destroy();
    await until(() => signals[0]?.aborted === true);
    finish();
    const next = await connect(session);
    expect((await next.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
    expect(next.unread).toBe(0);
  });

  it("H4 a client that leaves before its call was even read costs nothing", async ({ start, connect }) => {
    const session = await start([echoTool]);
    for (let round = 0; round < 50; round++) {
      const client = await connect(session);
      client.call("echo", { round });
      client.socket.destroy();
    }
    expect((await (await connect(session)).ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });
});

describe("a half-closed client", () => {
  it("WIR-19 that ended its side after the request still gets its answer, and then the end", async ({ start, connect }) => {
    const { tool, signals, finish } = watchedTool();
    const client = await connect(await start([tool]));
    client.call("watched");
    client.socket.end();
    await until(() => signals.length === 1);
    // Longer than the parent waits before it asks whether such a client is still there.
    await turn(400);
    expect(signals[0]?.aborted).toBe(false);
    finish();
    expect((await client.next()).result?.content[0]?.text).toBe("finished");
    await client.closed;
  });

  it("WIR-19 H4 that then goes away for good is noticed, and its call is aborted", async ({ start, connect }) => {
    const { tool, signals } = watchedTool();
    const client = await connect(await start([tool]));
    client.call("watched");
    client.socket.end();
    await until(() => signals.length === 1);
    client.socket.destroy();
    await until(() => signals[0]?.aborted === true);
    expect(signals[0]?.reason).toMatchObject({ code: "cancelled", message: "the client cancelled the call or is gone" });
  });

  it("WIR-19 that ended inside a frame is told, if it still listens", async ({ start, connect }) => {
    const client = await connect(await start([echoTool]));
    client.sendBytes(Buffer.from([0, 0, 0, 9, 0x7b]));
    client.socket.end();
    expect((await client.next()).error).toEqual({ message: "the stream ended inside a frame", type: "IPCConnectionError" });
    await client.closed;
  });
});
