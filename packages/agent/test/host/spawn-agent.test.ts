// The host client with a real child: what it sends, what it hands on, and what becomes of the process. Most of
// it is waiting for one, so the tests wait side by side.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { agentHostLimits } from "../../src/host/limits.ts";
import { wireLimits } from "@hawser/wire";
import { eventsOf, failureOf, isAlive, spawnScripted, textOf } from "./scripted.ts";
import { until } from "../../../../test/kit/until.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// First: what takes longest begins before the others.
describe.concurrent("the end", () => {
  it.each([[[]], [["--ignores-eof"]]])("G9: close ends the process and everything it has started, with flags %j", async (flags) => {
    await using agent = await spawnScripted(flags);
    const offspring = Number(await textOf(agent.send("offspring")));
    const { pid } = agent;
    expect([isAlive(pid), isAlive(offspring)]).toEqual([true, true]);
    const waiting = failureOf(eventsOf(agent.send("silent")));
    await agent.close();
    expect(await waiting).toMatchObject({ code: "closed" });
    await until(() => !isAlive(pid) && !isAlive(offspring));
    expect(await failureOf(eventsOf(agent.send("hello")))).toMatchObject({ code: "closed" });
    await agent.close();
  });

  it("G9: a runtime that ignores the end of input and SIGTERM is killed", { timeout: 240_000 }, async () => {
    await using agent = await spawnScripted(["--ignores-eof", "--ignores-sigterm"]);
    const { pid } = agent;
    await agent.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe.concurrent("a turn", () => {
  it("yields every response of its id in order and ends after done", async () => {
    await using agent = await spawnScripted();
    expect(await agent.ready).toMatchObject({ version: "1.0.0", model: "scripted" });
    const turn = agent.send("hello");
    const events = await eventsOf(turn);
    expect(events.map(({ type }) => type)).toEqual(["token", "token", "token", "token", "tool_use", "tool_result", "done"]);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([turn.id]));
  });

  it("R137: has a fresh uuid as id and goes out as one line of JSON with attachments and metadata", async () => {
    await using agent = await spawnScripted();
    const message = "hello\nin two lines \u2028 and 🚢";
    const sent = agent.send({ message, attachments: [{ path: "a.txt", mime: "text/plain" }], metadata: { conversationId: "c1" } });
    await eventsOf(sent);
    const lines = JSON.parse(await textOf(agent.send("lines"))) as string[];
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0]!)).toEqual({
      id: sent.id,
      kind: "user_message",
      message,
      attachments: [{ path: "a.txt", mime: "text/plain" }],
      metadata: { conversationId: "c1" },
    });
    expect(sent.id).toMatch(uuid);
  });

  it("turns side by side each get their own responses", async () => {
    await using agent = await spawnScripted();
    const turns = Array.from({ length: 20 }, (_, at) => textOf(agent.send(at % 2 === 0 ? "drip 3 5" : "hello")));
    expect(await Promise.all(turns)).toEqual(turns.map((_, at) => (at % 2 === 0 ? "..." : "Hello world")));
  });

  it("throws the runtime's error, with its code where it gives one", async () => {
    await using agent = await spawnScripted();
    expect(await failureOf(eventsOf(agent.send("error")))).toMatchObject({
      code: "internal",
      message: "Failed to process request: API rate limit exceeded",
    });
    expect(await failureOf(eventsOf(agent.send("overloaded")))).toMatchObject({ code: "overloaded" });
    expect(await failureOf(eventsOf(agent.send("broken")))).toMatchObject({ code: "invalid_message" });
  });

  it("that is too large, or is no JSON, fails alone and before a byte is written", async () => {
    await using agent = await spawnScripted();
    expect(await failureOf(eventsOf(agent.send("x".repeat(wireLimits.maxMessageBytes))))).toMatchObject({ code: "too_large" });
    const endless: Record<string, unknown> = {};
    endless["self"] = endless;
    expect(await failureOf(eventsOf(agent.send({ message: "x", metadata: endless })))).toMatchObject({ code: "not_serializable" });
    expect(JSON.parse(await textOf(agent.send("lines")))).toHaveLength(1);
  });
});

describe("noise", () => {
  it("R140: lines that are no responses change nothing, and what follows them is delivered", async () => {
    await using agent = await spawnScripted();
    expect(await textOf(agent.send("garbage"))).toBe("after the noise");
    expect(await textOf(agent.send("hello"))).toBe("Hello world");
  });

  it("R140 a flood of it is bounded in the log, with its hidden characters shown", async () => {
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    await using agent = await spawnScripted();
    for (let count = 0; count < 30; count++) await textOf(agent.send("garbage"));
    const told = log.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith("[hawser] the agent: skipped"));
    expect(told.length).toBeLessThan(20);
    expect(told.find((line) => line.includes("31m"))).toContain("\\u0007 \\u001b[31m half a line");
    expect(told.at(-1)).toMatch(/: skipped \d+ lines on stdout so far that aren't messages\n$/);
  });
});

describe.concurrent("silence", () => {
  it("R135 H36: ends a request with timeout after the idle time, and the runtime is told to cancel it", async () => {
    await using agent = await spawnScripted([], { idleMs: 200 });
    const turn = agent.send("late 60000");
    expect(await failureOf(eventsOf(turn))).toMatchObject({ code: "timeout", facts: { id: turn.id } });
    const lines = JSON.parse(await textOf(agent.send("lines", { idleMs: 30_000 }))) as string[];
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual({
      id: expect.stringMatching(uuid) as string,
      kind: "cancel",
      target: turn.id,
    });
  });

  it("R135: the idle time is 60 seconds unless given", () => {
    expect(agentHostLimits.hostIdleMs).toBe(60_000);
  });

  it("H36: any response of the id starts the idle time again", async () => {
    // Together longer than the idle time, and each far shorter: a runtime may get no processor for a while.
    await using agent = await spawnScripted([], { idleMs: 4_000 });
    expect(await textOf(agent.send("drip 24 200"))).toBe(".".repeat(24));
  });

  it("H36: a request that never ends, although it is never silent, is given up after its longest time, and cancelled", async () => {
    await using agent = await spawnScripted([], { totalMs: 700 });
    const turn = agent.send("drip 100000 20");
    const failure = await failureOf(eventsOf(turn));
    expect(failure).toMatchObject({ code: "timeout", message: "the agent did not end it within 700 ms; the request was given up" });
    const lines = JSON.parse(await textOf(agent.send("lines", { totalMs: Infinity }))) as string[];
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(expect.objectContaining({ kind: "cancel", target: turn.id }));
  });

  it("RUN-17: late messages of an id that timed out are ignored, and the next request is clean", async () => {
    await using agent = await spawnScripted(["--contract-only"], { idleMs: 500 });
    expect(await failureOf(eventsOf(agent.send("late 3000")))).toMatchObject({ code: "timeout" });
    const next = agent.send("drip 30 100", { idleMs: 30_000 });
    const events = await eventsOf(next);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([next.id]));
    expect(events.at(-1)).toMatchObject({ type: "done" });
  });
});

describe.concurrent("cancel", () => {
  it("ends the turn with the runtime's error, and says whether there was one", async () => {
    await using agent = await spawnScripted();
    const turn = agent.send("drip 1000 50");
    const begun = Promise.withResolvers<void>();
    const ended = failureOf(
      (async () => {
        for await (const { type } of turn) if (type === "token") begun.resolve();
      })(),
    );
    await begun.promise;
    expect(await agent.cancel(turn.id)).toBe(true);
    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(await agent.cancel(turn.id)).toBe(true);
    expect(await agent.cancel("never")).toBe(false);
  });

  it("by a signal ends the turn at once, also before it has begun", async () => {
    await using agent = await spawnScripted();
    const controller = new AbortController();
    const ended = failureOf(eventsOf(agent.send("silent", { signal: controller.signal })));
    controller.abort();
    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(await failureOf(eventsOf(agent.send("hello", { signal: controller.signal })))).toMatchObject({ code: "cancelled" });
  });

  it("a program that leaves the loop has cancelled its turn", async () => {
    await using agent = await spawnScripted();
    const turn = agent.send("drip 1000 20");
    for await (const event of turn) if (event.type === "token") break;
    const lines = JSON.parse(await textOf(agent.send("lines"))) as string[];
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual({
      id: expect.any(String) as string,
      kind: "cancel",
      target: turn.id,
    });
  });

  it("is not sent to a runtime that speaks only the contract; the turn ends here", async () => {
    await using agent = await spawnScripted(["--contract-only"]);
    expect(await agent.ready).toEqual({ capabilities: [], startedAt: expect.any(Number) as number });
    const turn = agent.send("drip 1000 20");
    const ended = failureOf(eventsOf(turn));
    expect(await agent.cancel(turn.id)).toBe(true);
    expect(await ended).toMatchObject({ code: "cancelled" });
    expect(await textOf(agent.send("lines"))).not.toContain("cancel");
    expect(await failureOf(agent.listModels())).toMatchObject({ code: "unknown_method" });
  });
});

describe.concurrent("the log", () => {
  it("R144: with debug every message appears on stderr as [SEND] and [RECV] with its type and id", async () => {
    const { execFile } = await import("node:child_process");
    const { promisify } = await import("node:util");
    const program = new URL("fixtures/debugging-host.ts", import.meta.url).pathname;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--conditions=hawser-source", program]);
    const id = stdout.trim();
    expect(stderr.split("\n").filter((line) => line.startsWith("["))).toEqual([
      "[RECV] ready",
      `[SEND] user_message ${id}`,
      `[RECV] token ${id}`,
      `[RECV] token ${id}`,
      `[RECV] token ${id}`,
      `[RECV] token ${id}`,
      `[RECV] tool_use ${id}`,
      `[RECV] tool_result ${id}`,
      `[RECV] done ${id}`,
    ]);
    expect(stderr).not.toContain("secret words");
  });
});
