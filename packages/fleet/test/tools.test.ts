// Tools on other machines, with a real server between two connections.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineTool } from "@hawser/tools";
import type { Fleet } from "../src/connect.ts";
import { findServices } from "../src/discovery.ts";
import { fleetLimits } from "../src/limits.ts";
import type { FleetServer } from "../src/server/start-server.ts";
import { createFleetCalls, type FleetCall } from "../src/tools/call-tools.ts";
import { watchTools } from "../src/tools/live-tools.ts";
import { offerTools } from "../src/tools/offer-tools.ts";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";

const anything = { type: "object" } as const;

function toCall(name: string, args: Record<string, unknown> = {}, more: Partial<FleetCall> = {}): FleetCall {
  return { params: { name, arguments: args }, signal: new AbortController().signal, onProgress: () => {}, onLog: () => {}, ...more };
}

describe("tools of a fleet", () => {
  let server: FleetServer;
  let here: Fleet;
  let there: Fleet;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram === "") return;
    server = await openServer({ maxPayload: 65_536 });
    [here, there] = await Promise.all([openFleet(server, "here"), openFleet(server, "there")]);
  });

  const offer = (service: string, tools: Parameters<typeof offerTools>[1]["tools"], fleet = there) =>
    offerTools(fleet, { service, tools, version: "1.2.3", machine: "quay" });

  async function use(service: string) {
    const live = await watchTools(here, service);
    return { live, ...createFleetCalls(here, service, live) };
  }

  it("are listed and called, with progress, log lines and numbers as they were written", async () => {
    const add = defineTool({
      name: "add",
      description: "Adds.",
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      run({ a }, { progress, log }) {
        progress(1, 2, "half");
        log("adding", "debug");
        return { sum: Number(a) + 1 };
      },
    });
    await offer("sums", [add]);
    const { live, call } = await use("sums");
    expect(live.current?.schemas.map(({ name, description }) => [name, description])).toEqual([["add", "Adds."]]);
    const told: unknown[] = [];
    const { result } = await call(
      toCall("add", { a: 2 }, { onProgress: (progress) => told.push(progress), onLog: (log) => told.push(log) }),
    );
    expect(result.structuredContent).toEqual({ sum: 3 });
    expect(told).toEqual([
      { progress: 1, total: 2, message: "half" },
      { level: "debug", message: "adding" },
    ]);
    await expect(call(toCall("add", { a: "x" }))).rejects.toMatchObject({ type: "ToolInputValidationError" });
    await expect(call(toCall("subtract"))).rejects.toMatchObject({ type: "ToolNotFoundError" });
  });

  it("learn which MCP client calls, whatever it says of itself, and that it is unknown where it said nothing", async () => {
    await offer("asked", [
      defineTool({ name: "who", description: "Who.", input: anything, run: (_, { client }) => JSON.stringify(client ?? "unknown") }),
    ]);
    const { call } = await use("asked");
    const ask = async (client: FleetCall["client"]) => {
      const { content } = (await call(toCall("who", {}, { client }))).result;
      return JSON.parse((content as { text: string }[])[0]?.text ?? "") as unknown;
    };
    expect(await ask({ name: "claude-code", version: "2.1.0" })).toEqual({ name: "claude-code", version: "2.1.0" });
    expect(await ask({ name: "a/b\r\nX: 1 ü\ud800" })).toEqual({ name: "a/b\r\nX: 1 ü\ufffd" });
    expect(await ask({ name: "x".repeat(70_000) })).toEqual({ name: "x".repeat(fleetLimits.fleetClientChars) });
    expect(await ask(undefined)).toBe("unknown");
  });

  it("run once for each call, on one of the machines that offer them, and side by side", async () => {
    const ran: string[] = [];
    const toTool = (machine: string) =>
      defineTool({
        name: "where",
        description: "Where it runs.",
        input: anything,
        run: ({ n }) => (ran.push(`${machine} ${String(n)}`), machine),
      });
    await offer("pair", [toTool("one")]);
    await offer("pair", [toTool("two")], await openFleet(server));
    const { call } = await use("pair");
    const results = await Promise.all(Array.from({ length: 200 }, (_, n) => call(toCall("where", { n }))));
    expect(results).toHaveLength(200);
    expect(new Set(ran.map((line) => line.split(" ")[1])).size).toBe(200);
    expect(ran).toHaveLength(200);
    expect(new Set(ran.map((line) => line.split(" ")[0]))).toEqual(new Set(["one", "two"]));
  });

  it("are cancelled: the function learns of it, and the caller does not wait for it", async () => {
    const aborted = Promise.withResolvers<unknown>();
    const began = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      input: anything,
      run(_, { signal }) {
        began.resolve();
        signal.addEventListener("abort", () => aborted.resolve(signal.reason));
        return new Promise(() => {});
      },
    });
    await offer("waits", [wait]);
    const { call } = await use("waits");
    const cancel = new AbortController();
    const outcome = call(toCall("wait", {}, { signal: cancel.signal }));
    await began.promise;
    cancel.abort(new Error("enough"));
    await expect(outcome).rejects.toThrow("enough");
    expect(String(await aborted.promise)).toContain("the client cancelled the call or is gone");
  });

  it("that no machine offers are refused at once, and are there when one comes", async () => {
    const { live, call } = await use("later");
    await expect(call(toCall("late"))).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining('no machine offers "later" now'),
    });
    const changed = new Promise<void>((resolve) => live.watch(resolve));
    const offered = await offer("later", [defineTool({ name: "late", description: "Late.", input: anything, run: () => "here" })]);
    await changed;
    expect((await call(toCall("late"))).result.content).toEqual([{ type: "text", text: "here" }]);
    const gone = new Promise<void>((resolve) => live.watch(resolve));
    await offered.stop();
    await gone;
    expect(live.current).toBeUndefined();
    await expect(call(toCall("late"))).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("of a new version count as soon as it is there, and calls never reach a machine with other tools", async () => {
    const toTool = (name: string) => defineTool({ name, description: "Some.", input: anything, run: () => name });
    await offer("versions", [toTool("old")]);
    const { live, call } = await use("versions");
    const changed = new Promise<void>((resolve) => live.watch(resolve));
    const second = await offer("versions", [toTool("new")], await openFleet(server));
    await changed;
    expect(live.current?.schemas.map(({ name }) => name)).toEqual(["new"]);
    await expect(Promise.all(Array.from({ length: 20 }, () => call(toCall("new"))))).resolves.toHaveLength(20);
    const back = new Promise<void>((resolve) => live.watch(resolve));
    await second.stop();
    await back;
    expect(live.current?.schemas.map(({ name }) => name)).toEqual(["old"]);
  });

  it("whose machine is killed end once with an unknown outcome, and are not called again", async () => {
    const { fleetSilenceMs, fleetBeatMs } = fleetLimits;
    Object.assign(fleetLimits, { fleetSilenceMs: 3_000, fleetBeatMs: 100 });
    try {
      const began = Promise.withResolvers<void>();
      let runs = 0;
      const lost = await openFleet(server);
      await offer(
        "lost",
        [
          defineTool({
            name: "hang",
            description: "Hangs.",
            input: anything,
            run: () => ((runs += 1), began.resolve(), new Promise(() => {})),
          }),
        ],
        lost,
      );
      const { call } = await use("lost");
      const outcome = call(toCall("hang")).catch((error: unknown) => error);
      await began.promise;
      await lost.close();
      expect(await outcome).toMatchObject({ code: "unknown_outcome", message: expect.stringContaining("It may have run") });
      expect(runs).toBe(1);
    } finally {
      Object.assign(fleetLimits, { fleetSilenceMs, fleetBeatMs });
    }
  });

  it("with arguments or results that the server does not carry are refused with the sizes, and the connection lives", async () => {
    await offer("large", [
      defineTool({ name: "echo", description: "Echoes.", input: anything, run: ({ length }) => "x".repeat(Number(length)) }),
    ]);
    const { call } = await use("large");
    await expect(call(toCall("echo", { length: 1, text: "x".repeat(70_000) }))).rejects.toMatchObject({ code: "too_large" });
    await expect(call(toCall("echo", { length: 70_000 }))).rejects.toThrow(
      /the result has \d+ bytes, and the fleet's server carries 65536/,
    );
    expect((await call(toCall("echo", { length: 1 }))).result.content).toEqual([{ type: "text", text: "x" }]);
  });

  it("are found as NATS services, with counts", async () => {
    const offered = await offer("found", [
      defineTool({ name: "fail", description: "Fails.", input: anything, run: () => Promise.reject(new Error("no")) }),
    ]);
    const { call } = await use("found");
    await call(toCall("fail")).catch(() => {});
    const services = await findServices(here);
    expect(services.find(({ id }) => id === offered.id)).toMatchObject({
      name: "found",
      version: "1.2.3",
      metadata: { kind: "tools", machine: "quay", tools: "1" },
      requests: 1,
    });
  });

  it("that are told to leave finish what runs, and take nothing new", async () => {
    const began = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<string>();
    const offered = await offer("leaving", [
      defineTool({ name: "slow", description: "Slow.", input: anything, run: () => (began.resolve(), finish.promise) }),
    ]);
    const { call } = await use("leaving");
    const outcome = call(toCall("slow"));
    await began.promise;
    here.connection.publish("hawser.fleet.drain", "leaving");
    await offered.drained;
    const stopped = offered.stop();
    await sleep(0);
    finish.resolve("done");
    expect((await outcome).result.content).toEqual([{ type: "text", text: "done" }]);
    await stopped;
  });
});
