// The host client against servers that are right, wrong, old, new, broken or gone: real processes all.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { startGatewayHost, type GatewayHost, type GatewayHostOptions } from "../../src/host/index.ts";
import { until } from "../../../../test/kit/until.ts";
import { rpcProgram } from "../rpc/rpc-process.ts";

const fake = fileURLToPath(new URL("../fixtures/fake-igw.ts", import.meta.url));

// Tests run side by side, since most of them wait for a process: all is put away after the last.
const leftovers: (() => unknown)[] = [];
afterAll(() => Promise.all(leftovers.map((putAway) => putAway())));

interface Fake {
  readonly options: GatewayHostOptions;
  /** What the program has read and done so far. */
  log(): string[];
}

function fakeIgw(hello: object = {}, rpc = ""): Fake {
  const directory = mkdtempSync(join(tmpdir(), "hawser-host-test-"));
  const file = join(directory, "log");
  writeFileSync(file, "");
  leftovers.push(() => rmSync(directory, { recursive: true, force: true }));
  const env = { ...process.env, FAKE_HELLO: JSON.stringify(hello), FAKE_RPC: rpc, FAKE_LOG: file };
  return {
    // Several start at the same time, and the machine may be busy: one that is slow is not one that does not answer.
    options: { command: [process.execPath, fake], env, handshakeMs: 60_000 },
    log: () => readFileSync(file, "utf8").split("\n").filter(Boolean),
  };
}

async function start(options: GatewayHostOptions): Promise<GatewayHost> {
  const host = await startGatewayHost(options);
  leftovers.push(() => host.stop());
  return host;
}

const starts = (log: string[]): string[] => log.filter((line) => line.startsWith("start "));

describe.concurrent("handshake", () => {
  it("R102 a server of another family is refused, and no call is made in another way", async () => {
    const { options, log } = fakeIgw({ protocol: "igw-rpc-v2" });
    await expect(startGatewayHost(options)).rejects.toMatchObject({
      code: "start_failed",
      message: expect.stringContaining("igw-rpc-v2") as string,
    });
    expect(starts(log())).toHaveLength(1);
  });

  it.each(["2.0.0", "10.1.0", "1.0", "one", 1])("R103 protocolSemver %j is refused", async (protocolSemver) => {
    const { options } = fakeIgw({ protocolSemver });
    await expect(startGatewayHost(options)).rejects.toMatchObject({ code: "start_failed", facts: { reason: "incompatible_server" } });
  });

  it.each(["1.0.0", "1.9.0", "1.9.12-beta.1", "0.9.0"])("R103 R106 protocolSemver %s is accepted", async (protocolSemver) => {
    const host = await start(fakeIgw({ protocolSemver }).options);
    expect(host.mode).toBe("rpc");
    expect(host.hello?.protocolSemver).toBe(protocolSemver);
  });

  it.each(["1.1.1", "1.2.0", "2.0.0", "1.10.0", "1.0", 7])(
    "R103 a server whose minHostSemver is %j is refused, and no call is made",
    async (minHostSemver) => {
      const { options, log } = fakeIgw({ minHostSemver });
      await expect(startGatewayHost(options)).rejects.toMatchObject({
        code: "start_failed",
        message: expect.stringMatching(/asks for a host of version .* this one is 1\.1\.0|its minHostSemver is not/) as string,
        facts: { reason: "incompatible_server" },
      });
      expect(starts(log())).toHaveLength(1);
    },
  );

  it.each(["1.1.0", "1.0.9", "0.99.99", "1.1.0-beta.1", null])(
    "R103 a server whose minHostSemver is %j takes this host",
    async (minHostSemver) => {
      const host = await start(fakeIgw({ minHostSemver }).options);
      expect(host.mode).toBe("rpc");
    },
  );

  it("R104 features that the host needs must be there, and true", async () => {
    const features = { call: true, cancel: false };
    const { options } = fakeIgw({ features });
    await expect(startGatewayHost({ ...options, requiredFeatures: ["call", "cancel", "toString"] })).rejects.toMatchObject({
      facts: { reason: "incompatible_server", missing: ["cancel", "toString"] },
    });
    const host = await start({ ...options, requiredFeatures: ["call"] });
    expect([host.supports("call"), host.supports("cancel"), host.supports("constructor")]).toEqual([true, false, false]);
  });

  it("R108 unknown fields, unknown ids and lines that are no JSON are ignored", async () => {
    const host = await start(fakeIgw({ zzz: 1 }, "noise").options);
    expect(await host.call({ path: "/a" })).toMatchObject({ ok: true, code: 0, status: 200, response: { body: "/a" } });
  });

  it("an answer that is none rejects its call, and the next one is made", async () => {
    const host = await start(fakeIgw().options);
    await expect(host.call({ path: "/odd" })).rejects.toMatchObject({ code: "invalid_message" });
    expect(await host.call({ path: "/a" })).toMatchObject({ ok: true });
  });

  it("G1 an answer that can't be read ends its call, and the next one is made", async () => {
    const host = await start(fakeIgw().options);
    await expect(host.call({ path: "/broken" })).rejects.toMatchObject({
      code: "invalid_message",
      message: /answer was refused: not valid/,
    });
    expect(await host.call({ path: "/a" })).toMatchObject({ ok: true });
  });

  it("the flags of the host reach the program", async () => {
    const { options, log } = fakeIgw();
    await start({ ...options, workers: 3, queueSize: 7, args: ["--profile", "p"] });
    expect(starts(log())).toEqual(["start rpc --workers 3 --queue-size 7 --profile p"]);
  });
});

describe.concurrent("calls", () => {
  const real = (more: Partial<GatewayHostOptions> = {}): GatewayHostOptions => ({
    command: [process.execPath, "--conditions=hawser-source", rpcProgram],
    handshakeMs: 60_000,
    ...more,
  });

  it("R77 RPC-01 2,000 calls at once through the real server: each gets its own answer, one process", async () => {
    const host = await start(real({ workers: 8 }));
    const outcomes = await Promise.all(Array.from({ length: 2_000 }, (_, n) => host.call({ path: `/${n}` })));
    for (const [n, outcome] of outcomes.entries()) expect(outcome.response?.body).toBe(`/${n}`);
    expect(outcomes[0]?.stats?.rpc).toBeDefined();
  });

  it("H21 an abort cancels the call in the server, which is free for the next one", async () => {
    const host = await start(real());
    const controller = new AbortController();
    const call = host.call({ path: "/never" }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect(await host.call({ path: "/next" })).toMatchObject({ ok: true });
  });

  it("a call that takes longer than the host waits is cancelled in the server too", async () => {
    const host = await start(real());
    await expect(host.call({ path: "/never" }, { timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
    expect(await host.call({ path: "/next" })).toMatchObject({ ok: true });
  });

  it("R104 a server without cancel is sent none: the call is rejected here", async () => {
    const { options, log } = fakeIgw({ features: { call: true } });
    const host = await start(options);
    const controller = new AbortController();
    const call = host.call({ path: "/never" }, { signal: controller.signal });
    await until(() => log().some((line) => line.includes("/never")));
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    await host.call({ path: "/after" });
    expect(log().filter((line) => line.includes('"cancel"'))).toEqual([]);
  });

  it("R104 params are not sent to a server that would pass over them, nor a reload to one that has none", async () => {
    const { options, log } = fakeIgw({ features: { call: true } });
    const host = await start(options);
    await expect(host.call({ op: "x", params: { a: 1 } })).rejects.toMatchObject({ code: "usage" });
    await expect(host.reloadConfig()).rejects.toMatchObject({ code: "usage" });
    expect(log().filter((line) => line.includes("params") || line.includes("reload"))).toEqual([]);
  });

  it("a reload that the server refuses is an error of the reload, not of the host", async () => {
    const host = await start(fakeIgw().options);
    await expect(host.reloadConfig()).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("broken") as string });
    expect((await host.call({ path: "/a" })).ok).toBe(true);
  });

  it("G11 no more calls are sent than the server has places for; the others wait and may give up", async () => {
    const { options, log } = fakeIgw();
    const host = await start({ ...options, workers: 1, queueSize: 2 });
    const stuck = Promise.allSettled([1, 2, 3].map(() => host.call({ path: "/never" })));
    const controller = new AbortController();
    const waiting = host.call({ path: "/late" }, { signal: controller.signal });
    await until(() => log().filter((line) => line.includes("/never")).length === 3);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    expect(log().some((line) => line.includes("/late"))).toBe(false);
    await host.stop();
    for (const call of await stuck) expect(call).toMatchObject({ status: "rejected", reason: { code: "closed" } });
  });
});

describe.concurrent("when the server ends", () => {
  it("calls under way are rejected and not repeated; the next call starts a new process", async () => {
    const { options, log } = fakeIgw();
    const host = await start(options);
    const message = expect.stringContaining("exit code 3") as string;
    for (const call of await Promise.allSettled([host.call({ path: "/never" }), host.call({ path: "/die" })])) {
      expect(call).toMatchObject({ status: "rejected", reason: { code: "connection_lost", message } });
    }
    expect(await host.call({ path: "/again" })).toMatchObject({ ok: true });
    expect(starts(log())).toHaveLength(2);
    expect(log().filter((line) => line.includes("/never"))).toHaveLength(1);
  });

  it("one that ends again and again is started again ever later", async () => {
    const { options, log } = fakeIgw();
    const host = await start(options);
    const startedAt = performance.now();
    for (let round = 0; round < 4; round++) await expect(host.call({ path: "/die" })).rejects.toMatchObject({ code: "connection_lost" });
    // 200, 400 and 800 milliseconds at the least.
    expect(performance.now() - startedAt).toBeGreaterThan(1_390);
    expect(starts(log())).toHaveLength(4);
  });

  it("G9 close ends the process, also twice, and later calls are refused", async () => {
    const { options } = fakeIgw();
    const host = await startGatewayHost(options);
    const call = host.call({ path: "/never" });
    await Promise.all([host.stop(), host[Symbol.asyncDispose](), expect(call).rejects.toMatchObject({ code: "closed" })]);
    await expect(host.call({ path: "/a" })).rejects.toMatchObject({ code: "closed" });
  });
});

describe.concurrent("without an rpc server", () => {
  it.each(["exit", "mute"])("a program whose rpc does this: %s, is called once per call", async (rpc) => {
    const { options } = fakeIgw({}, rpc);
    const host = await start({ ...options, handshakeMs: 500, args: ["--profile", "p"] });
    expect(host.mode).toBe("one-shot");
    expect(host.fallbackReason).toMatchObject({ code: "start_failed" });
    const item = {
      method: "POST",
      path: "/a b",
      query: ["a=-1", "b"],
      headers: ["X-A: 1"],
      body: "@not-a-file",
      yes: true,
      dryRun: true,
      retry: 2,
    };
    const outcome = await host.call(item);
    const { words, body } = JSON.parse(outcome.response?.body ?? "{}") as { words: string[]; body: string };
    expect(words.slice(0, 4)).toEqual(["call", "--json", "--profile", "p"]);
    const expected = [
      "--body=-",
      "--dry-run",
      "--header=X-A: 1",
      "--method=POST",
      "--path=/a b",
      "--query=a=-1",
      "--query=b",
      "--retry=2",
      "--yes",
    ];
    expect(words.slice(4).toSorted()).toEqual(expected);
    expect(body).toBe("@not-a-file");
    expect(outcome).toMatchObject({ ok: true, code: 0, status: 200 });
  });

  it("a failed single call keeps its code, status and kind", async () => {
    const host = await start(fakeIgw({}, "exit").options);
    expect(await host.call({ path: "/fail" })).toEqual({
      ok: false,
      code: 6,
      status: 401,
      error: "http 401",
      cancelled: false,
      errorInfo: { kind: "auth", retryable: false, hint: undefined },
    });
    await expect(host.call({ path: "/mute" })).rejects.toMatchObject({ code: "start_failed" });
    await expect(host.call({ op: "x", params: {} })).rejects.toMatchObject({ code: "usage" });
  });

  it("G9 an abort and a timeout end the process of a single call", async () => {
    const { options, log } = fakeIgw({}, "exit");
    const host = await start({ ...options, workers: 2 });
    const started = (): string[] => log().filter((line) => line.startsWith("once "));
    const controller = new AbortController();
    const aborted = expect(host.call({ path: "/never" }, { signal: controller.signal })).rejects.toMatchObject({ code: "cancelled" });
    await until(() => started().length === 1);
    controller.abort();
    await aborted;
    // It is to run when its time is over: with ever more time, until the machine has started it within it.
    for (let timeoutMs = 1_000; started().length < 2; timeoutMs *= 3) {
      await expect(host.call({ path: "/never" }, { timeoutMs })).rejects.toMatchObject({ code: "timeout" });
    }
    for (const line of started()) expect(() => process.kill(Number(line.slice("once ".length)), 0)).toThrow(/ESRCH/);
  });

  it("a program that is not there falls back to another one, or is an error where that is not wanted", async () => {
    const { options } = fakeIgw();
    const host = await start({ ...options, command: ["no-such-program-here"], fallback: options.command });
    expect((await host.call({ path: "/a" })).ok).toBe(true);
    await expect(startGatewayHost({ ...options, command: ["no-such-program-here"], fallback: false })).rejects.toMatchObject({
      code: "start_failed",
    });
  });
});
