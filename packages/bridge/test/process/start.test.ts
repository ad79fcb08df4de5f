// How the bridge starts, in the surroundings that clients give it: hardly any environment, no place
// to write, chatty libraries. It also waits as long as its clients do.

import fs from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { defineTool, it } from "./bridges.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../test/kit/until.ts";
import { quickBridge } from "./quick-bridge.ts";
import { bridgeLimits } from "../../src/limits.ts";
import { bundledBridge } from "./raw-parent.ts";
import { connectors } from "./official-clients.ts";

const input = { type: "object" } as const;
const hello = defineTool({ name: "hello", description: "", input, run: () => "hello" });
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;

describe("surroundings", () => {
  it("HOME and PATH are all the environment it needs; compiled code lies in a 0700 folder below HOME", async ({
    directory,
    serve,
    start,
  }) => {
    const home = join(directory, "home");
    fs.mkdirSync(home, { mode: 0o755 });
    const bridge = start((await serve([hello])).mcpServerConfig, { wholeEnv: { HOME: home, PATH: "/usr/bin:/bin" } });
    await bridge.initialize();
    expect((await bridge.call("hello")).content[0].text).toBe("hello");
    bridge.process.stdin.end();
    expect((await bridge.exited).code).toBe(0);
    expect(modeOf(join(home, ".cache/hawser"))).toBe(0o700);
    expect(fs.readdirSync(home)).toEqual([".cache"]);
    expect(bridge.stderr).toBe("");
  });

  it("the bundle holds no JSON Schema compiler: it would be a third of what each start has to load", () => {
    const code = fs.readFileSync(join(bundledBridge, "../bridge-main.cjs"), "utf8");
    expect(code).toContain("tools/list");
    expect(code).not.toMatch(/strictSchema|validateFormats/);
  });

  it("a cache folder that others may write is closed to them before it is used", async ({ directory, serve, start }) => {
    const folder = join(directory, "cache/hawser");
    fs.mkdirSync(folder, { recursive: true });
    fs.chmodSync(folder, 0o777);
    const bridge = start((await serve([hello])).mcpServerConfig, { env: { XDG_CACHE_HOME: join(directory, "cache") } });
    await bridge.initialize();
    expect(modeOf(folder)).toBe(0o700);
  });

  it("compiled code is kept once a run was asked something, used by the next, and never believed when it is damaged", async ({
    directory,
    serve,
    start,
  }) => {
    const { mcpServerConfig } = await serve([hello]);
    const folder = join(directory, "cache/hawser");
    const run = async (isAsked: boolean): Promise<void> => {
      const bridge = start(mcpServerConfig, { env: { XDG_CACHE_HOME: join(directory, "cache") } });
      if (isAsked) await bridge.initialize();
      bridge.process.stdin.end();
      expect(await bridge.exited).toEqual({ code: 0, signal: null });
      expect(bridge.stderr).toBe("");
    };
    await run(false);
    expect(fs.readdirSync(folder)).toEqual([]);
    await run(true);
    const [name = "", ...others] = fs.readdirSync(folder);
    expect(others).toEqual([]);
    const path = join(folder, name);
    expect(modeOf(path)).toBe(0o600);
    const { ino } = fs.statSync(path);
    await run(true);
    expect(fs.statSync(path).ino).toBe(ino);
    const good = fs.readFileSync(path);
    const flipped = Buffer.from(good).fill(0xff, 100_000, 140_000);
    for (const damaged of [flipped, good.subarray(0, good.length / 2), Buffer.alloc(good.length), Buffer.from("x")]) {
      fs.writeFileSync(path, damaged);
      await run(true);
      expect(fs.readFileSync(path).length).toBeGreaterThan(good.length / 2);
      expect(fs.readFileSync(path).equals(damaged)).toBe(false);
    }
  });

  it("compiled code that was kept by a run which held its heap is used by the next", async ({ directory, serve, start }) => {
    const { mcpServerConfig } = await serve([hello]);
    // Much that lives for a moment: the space for it grows until it is held.
    const load = Array.from({ length: 4_000 }, (_, at) => ({ at }));
    const run = async (): Promise<number> => {
      const bridge = start(mcpServerConfig, { env: { XDG_CACHE_HOME: join(directory, "cache") } });
      await bridge.initialize();
      for (let count = 0; count < 40; count++) await bridge.call("hello", { load });
      bridge.process.stdin.end();
      expect(await bridge.exited).toEqual({ code: 0, signal: null });
      const folder = join(directory, "cache/hawser");
      const [name = ""] = fs.readdirSync(folder);
      return fs.statSync(join(folder, name)).ino;
    };
    const kept = await run();
    expect(await run()).toBe(kept);
  });

  const places: readonly (readonly [string, NodeJS.ProcessEnv])[] = [
    ["HOME that can't be written", { HOME: "/proc/self" }],
    ["HOME that does not exist", { HOME: "/nowhere/at/all" }],
    ["no HOME at all and a cache that is a file", { XDG_CACHE_HOME: "/dev/null" }],
  ];

  it.for(places)("with %s it works, without a word", async ([, env], { serve, start }) => {
    const bridge = start((await serve([hello])).mcpServerConfig, { wholeEnv: { PATH: "/usr/bin:/bin", ...env } });
    await bridge.initialize();
    expect((await bridge.call("hello")).content[0].text).toBe("hello");
    bridge.process.stdin.end();
    expect((await bridge.exited).code).toBe(0);
    expect(bridge.stderr).toBe("");
  });

  it("without a home directory, as for a user that the system does not know, it works, without a word", async ({ serve, start }) => {
    const homeless = join(import.meta.dirname, "../fixtures/process-homeless.cjs");
    const wholeEnv = { PATH: "/usr/bin:/bin", NODE_OPTIONS: `--require=${homeless}` };
    const bridge = start((await serve([hello])).mcpServerConfig, { wholeEnv });
    await bridge.initialize();
    expect((await bridge.call("hello")).content[0].text).toBe("hello");
    expect(bridge.stderr).toBe("");
  });

  it("a cache folder that is a link is not used, and what it points at stays as it is", async ({ directory, serve, start }) => {
    const target = join(directory, "target");
    fs.mkdirSync(target);
    // Independent of the umask of the user who runs the tests.
    fs.chmodSync(target, 0o755);
    fs.symlinkSync(target, join(directory, "hawser"));
    const bridge = start((await serve([hello])).mcpServerConfig, { env: { XDG_CACHE_HOME: directory } });
    await bridge.initialize();
    expect((await bridge.call("hello")).content[0].text).toBe("hello");
    bridge.process.stdin.end();
    expect((await bridge.exited).code).toBe(0);
    expect(modeOf(target)).toBe(0o755);
    expect(fs.readdirSync(target)).toEqual([]);
  });

  it("BRG-11 G7: whatever a library prints goes to stderr; stdout stays clean to the end", async ({ serve, start }) => {
    const noisy = join(import.meta.dirname, "../fixtures/process-noise.cjs");
    const bridge = start((await serve([hello])).mcpServerConfig, { env: { NODE_OPTIONS: `--require=${noisy}` } });
    await bridge.initialize();
    for (let round = 0; round < 20; round++) {
      expect((await bridge.call("hello")).content[0].text).toBe("hello");
      await sleep(10);
    }
    bridge.process.stdin.end();
    expect((await bridge.exited).code).toBe(0);
    expect(bridge.noise).toEqual([]);
    for (const sign of ["console.log", "process.stdout.write", "writeSync", "appendFileSync", "at exit"])
      expect(bridge.stderr).toContain(`noise: ${sign}`);
  });
});

describe.concurrent("heartbeats", () => {
  const slow = defineTool({ name: "slow", description: "", input, run: async ({ ms }) => (await sleep(Number(ms)), "done") });

  it("a silent call that asked for progress shows that it lives; its client's timeout starts again each time", async ({ serve }) => {
    const { mcpServerConfig } = await serve([slow]);
    const [config, { env }] = quickBridge(mcpServerConfig, { progressHeartbeatMs: 150 });
    const client = await connectors["client 2 (initialize)"]!(config, {
      PATH: process.env["PATH"] ?? "",
      ...(env as Record<string, string>),
    });
    const seen: number[] = [];
    const options = {
      timeout: 8_000,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress }: { progress: number }) => void seen.push(progress),
    };
    const result = await client.callTool("slow", { ms: 9_000 }, options);
    await client.close();
    expect(result.content[0].text).toBe("done");
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("a call that waits for its turn has them too, a call that did not ask has none, and they end with the call", async ({
    serve,
    start,
  }) => {
    const end = Promise.withResolvers<string>();
    const held = defineTool({ name: "held", description: "", input, run: () => end.promise });
    const [config, options] = quickBridge((await serve([slow, held])).mcpServerConfig, { progressHeartbeatMs: 100 });
    const bridge = start(config, { ...options, options: ["--connections", "1"] });
    await bridge.initialize();
    const first = bridge.startCall("held");
    const waiting = bridge.startCall("slow", { ms: 1 }, { progressToken: "waiting" });
    const beats = (): string[] =>
      bridge.messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params.progressToken);
    await until(() => beats().length > 1, 30_000, "the one that waits has two of them");
    end.resolve("done");
    await Promise.all([first, waiting].map((id) => bridge.answerTo(id)));
    expect(new Set(beats())).toEqual(new Set(["waiting"]));
    // A later call has two of its own, in the meantime of which the one that has ended would have had some.
    const count = beats().length;
    bridge.startCall("slow", { ms: 60_000 }, { progressToken: "later" });
    await until(() => beats().filter((token) => token === "later").length > 1, 30_000, "the later one has two of them");
    expect(beats().filter((token) => token === "waiting")).toHaveLength(count);
  });

  it("the shipped interval is far below the minute after which clients give up", async () => {
    expect(bridgeLimits.progressHeartbeatMs).toBeLessThanOrEqual(20_000);
  });
});
