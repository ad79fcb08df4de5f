// How the bridge ends: by its client's input, by signals, by its client's death; and that it does not end
// when only the program behind it is gone. Each accepted call gets one answer, and nothing is left behind.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { defineTool } from "./bridges.ts";
import { isRunning } from "../../../../test/kit/processes.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../test/kit/until.ts";
import { fixture, it } from "./programs.ts";
import { quickBridge } from "./quick-bridge.ts";
import { bundledBridge } from "./raw-parent.ts";

const input = { type: "object" } as const;

function createTools() {
  const started: unknown[] = [];
  const aborted: unknown[] = [];
  const wait = defineTool({
    name: "wait",
    description: "",
    input,
    run: async ({ ms }, { signal }) => {
      started.push(ms);
      signal.addEventListener("abort", () => aborted.push(ms));
      await sleep(Number(ms));
      return `waited ${String(ms)}`;
    },
  });
  return { tools: [wait], started, aborted };
}

const textOf = (message: { result: { content: { text: string }[] } }): string => message.result.content[0]!.text;

describe.concurrent("the end of input", () => {
  it("G8: a running call is still answered; then exit 0", async ({ serve, start }) => {
    const { tools, started } = createTools();
    // Time enough for a busy machine; what is shorter is cancelled in the next test.
    const [config, options] = quickBridge((await serve(tools)).mcpServerConfig, { bridgeEofGraceMs: 30_000 });
    const bridge = start(config, options);
    await bridge.initialize();
    const ids = [bridge.startCall("wait", { ms: 400 }), bridge.startCall("wait", { ms: 500 })];
    await until(() => started.length === 2, 30_000, "both run");
    bridge.process.stdin.end();
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
    expect(await Promise.all(ids.map(async (id) => textOf(await bridge.answerTo(id))))).toEqual(["waited 400", "waited 500"]);
  });

  it("G8: a call that does not end is cancelled after the grace, with its one answer; then exit 0", async ({ serve, start }) => {
    const { tools, started, aborted } = createTools();
    const bridge = start((await serve(tools)).mcpServerConfig);
    await bridge.initialize();
    const id = bridge.startCall("wait", { ms: 30_000 });
    await until(() => started.length === 1, 30_000, "it runs");
    const endedAt = performance.now();
    bridge.process.stdin.end();
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - endedAt).toBeGreaterThan(1_900);
    expect((await bridge.answerTo(id)).result).toMatchObject({ isError: true });
    expect(textOf(await bridge.answerTo(id))).toContain("the input ended and the time to finish is over");
    await until(() => aborted.length === 1, 30_000, "the function is told");
  });

  it("G8: an idle bridge ends at once, and so does one that was never asked", async ({ serve, start }) => {
    const { mcpServerConfig } = await serve(createTools().tools);
    const [idle, unasked] = [start(mcpServerConfig), start(mcpServerConfig)];
    await idle.initialize();
    await idle.call("wait", { ms: 1 });
    for (const bridge of [idle, unasked]) bridge.process.stdin.end();
    expect(await Promise.all([idle.exited, unasked.exited])).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
  });
});

describe.concurrent("signals", () => {
  it("G8: SIGTERM lets a running call end, refuses what waits and what comes, and exits 0", async ({ serve, start }) => {
    const { tools, started } = createTools();
    const end = Promise.withResolvers<string>();
    const held = defineTool({ name: "held", description: "", input, run: () => (started.push("held"), end.promise) });
    // Time enough for all that is asked while the first call runs.
    const [config, options] = quickBridge((await serve([...tools, held])).mcpServerConfig, { signalGraceMs: 30_000 });
    const bridge = start(config, { ...options, options: ["--connections", "1"] });
    await bridge.initialize();
    const [running, waiting] = [bridge.startCall("held"), bridge.startCall("wait", { ms: 1 })];
    await until(() => started.length === 1, 30_000, "the first runs");
    bridge.process.kill("SIGTERM");
    expect(textOf(await bridge.answerTo(waiting))).toContain("not started: the process was told to stop");
    const late = bridge.startCall("wait", { ms: 2 });
    expect((await bridge.answerTo(late)).error.message).toContain("not started: the process was told to stop");
    end.resolve("ended");
    expect(textOf(await bridge.answerTo(running))).toBe("ended");
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
    expect(started).toEqual(["held"]);
  });

  it("G8: SIGTERM gives a call that does not end three seconds, then its one answer, and exits 0", async ({ serve, start }) => {
    const { tools, started, aborted } = createTools();
    const [config, options] = quickBridge((await serve(tools)).mcpServerConfig, { signalGraceMs: 300 });
    const bridge = start(config, options);
    await bridge.initialize();
    const id = bridge.startCall("wait", { ms: 30_000 });
    await until(() => started.length === 1, 30_000, "it runs");
    bridge.process.kill("SIGTERM");
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
    expect(textOf(await bridge.answerTo(id))).toContain("cancelled: the process was told to stop");
    expect(bridge.messages.filter((message) => message.id === id)).toHaveLength(1);
    await until(() => aborted.length === 1, 30_000, "the function is told");
  });

  it("G8: SIGINT and SIGTERM shortly after, as Claude Code sends them, end it without any more grace", async ({ serve, start }) => {
    const { tools, started } = createTools();
    // Not over before a busy machine sends the second one.
    const bridge = start(...quickBridge((await serve(tools)).mcpServerConfig, { signalGraceMs: 60_000 }));
    await bridge.initialize();
    bridge.startCall("wait", { ms: 120_000 });
    await until(() => started.length === 1, 30_000, "it runs");
    bridge.process.kill("SIGINT");
    await sleep(100);
    bridge.process.kill("SIGTERM");
    // The code of a second signal, which is obeyed where it is heard.
    expect(await bridge.exited).toEqual({ code: 143, signal: null });
  });

  it("G8: SIGTERM with the end of input, as Gemini CLI ends its servers, is exit 0", async ({ serve, start }) => {
    const bridge = start((await serve(createTools().tools)).mcpServerConfig);
    await bridge.initialize();
    bridge.process.kill("SIGTERM");
    bridge.process.stdin.end();
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
  });

  it("G8: a client that never reads does not keep it from ending", async ({ serve, start }) => {
    let ran = 0;
    const large = defineTool({ name: "large", description: "", input, run: () => ++ran && "x".repeat(1_000_000) });
    const [config, options] = quickBridge((await serve([large])).mcpServerConfig, {
      signalGraceMs: 200,
      cancelGraceMs: 200,
      exitFlushMs: 200,
    });
    const bridge = start(config, options);
    await bridge.initialize();
    // Nothing is read from here on, not even the line that is cut off at the end.
    bridge.process.stdout.removeAllListeners("data").removeAllListeners("end").pause();
    for (let call = 0; call < 20; call++) bridge.startCall("large");
    await until(() => ran >= 8, 30_000, "the first calls ran");
    bridge.process.kill("SIGTERM");
    await until(() => !isRunning(bridge.pid), 30_000, "it has ended");
    bridge.process.stdout.destroy();
  });
});

describe.concurrent("a client that is gone", () => {
  it("G8: ends it though another process holds the pipes open, also with a call that does not end", async ({ serve, directory, run }) => {
    const { tools, started, aborted } = createTools();
    const { mcpServerConfig } = await serve(tools);
    const [toBridge, fromBridge] = [join(directory, "in"), join(directory, "out")];
    execFileSync("mkfifo", [toBridge, fromBridge]);
    // Held open by this process for reading and writing, whatever the client does.
    const pipes = [toBridge, fromBridge].map((path) => fs.openSync(path, fs.constants.O_RDWR));
    const script = '"$@" <"$IN" >"$OUT" & echo $!; wait';
    const client = run("bash", ["-c", script, "bash", mcpServerConfig.command, ...mcpServerConfig.args], {
      env: { IN: toBridge, OUT: fromBridge },
    });
    const bridgePid = Number(await client.firstLine);
    const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bash", version: "5" } };
    for (const message of [
      { id: 1, method: "initialize", params: initialize },
      { id: 2, method: "tools/call", params: { name: "wait", arguments: { ms: 60_000 } } },
    ])
      fs.writeSync(pipes[0]!, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await until(() => started.length === 1, 30_000, "the call runs");
    client.process.kill("SIGKILL");
    await until(() => !isRunning(bridgePid), 30_000, "the bridge is gone");
    await until(() => aborted.length === 1, 30_000, "the function is told");
    for (const pipe of pipes) fs.closeSync(pipe);
  });

  it("BRG-08: a bridge killed in mid-call aborts the function and leaves the parent to the next bridge", async ({ serve, start }) => {
    const { tools, started, aborted } = createTools();
    const { mcpServerConfig } = await serve(tools);
    const killed = start(mcpServerConfig);
    await killed.initialize();
    killed.startCall("wait", { ms: 30_000 });
    await until(() => started.length === 1, 30_000, "it runs");
    killed.process.kill("SIGKILL");
    await until(() => aborted.length === 1, 30_000, "the function is told");
    const next = start(mcpServerConfig);
    await next.initialize();
    expect((await next.call("wait", { ms: 1 })).content[0].text).toBe("waited 1");
  });
});

describe.concurrent("a parent that is gone", () => {
  it("BRG-06 R36: killed before the first call, while idle and in mid-call: each call is an error at once, tools/list goes on, EOF ends it", async ({
    directory,
    run,
    start,
  }) => {
    const parent = run(process.execPath, fixture("process-session.ts", directory));
    const config = JSON.parse(await parent.firstLine) as { command: string; args: string[] };
    const [fresh, idle, busy] = [start(config), start(config), start(config)];
    await Promise.all([fresh.initialize(), idle.initialize(), busy.initialize()]);
    expect((await idle.call("pid")).content[0].text).toBe(String(parent.pid));
    const hanging = busy.startCall("hang");
    await busy.call("pid");
    parent.process.kill("SIGKILL");
    await parent.exited;
    // The end of a connection and the next call come from two sides: a bridge that has answered this has read the end, too.
    await Promise.all([idle, busy].map((bridge) => bridge.request("ping")));
    const results = [await fresh.call("pid"), await idle.call("pid"), (await busy.answerTo(hanging)).result, await busy.call("pid")];
    for (const result of results) expect(result).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
    expect(results.map(({ content }) => content[0].text.replace(/.*: /, "").replace(/(?: at |;).*/, ""))).toEqual([
      "no program is listening",
      "no program is listening",
      "the program that offers the tools closed the connection before it answered",
      "no program is listening",
    ]);
    for (const bridge of [fresh, idle, busy]) {
      expect((await bridge.request("tools/list")).result.tools).toHaveLength(2);
      bridge.process.stdin.end();
      expect(await bridge.exited).toEqual({ code: 0, signal: null });
    }
  });

  it.for([0, 3, 5, 70_000])(
    "BRG-06 R36: killed after %i bytes of its answer, the call is an error at once",
    async (bytes, { directory, run, start }) => {
      const socketPath = join(directory, "dying.sock");
      const schemaPath = join(directory, "dying.json");
      fs.writeFileSync(schemaPath, JSON.stringify([{ name: "x", description: "", input_schema: {} }]));
      const parent = run(process.execPath, fixture("process-dying-parent.ts", socketPath, String(bytes)));
      await parent.firstLine;
      const bridge = start({ command: process.execPath, args: [bundledBridge, socketPath, schemaPath] });
      await bridge.initialize();
      const id = bridge.startCall("x");
      await parent.exited;
      const { result } = await bridge.answerTo(id);
      expect(result).toMatchObject({ isError: true, _meta: { error: { type: "IPCConnectionError" } } });
      expect(result.content[0].text).toMatch(/closed the connection before it answered|ended inside a frame|connection was lost/);
      expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
    },
  );

  it("G8: a session that stops answers the running call and ends its connections; the bridge lives on", async ({ serve, start }) => {
    const { tools, started } = createTools();
    const session = await serve(tools);
    const bridge = start(session.mcpServerConfig);
    await bridge.initialize();
    const id = bridge.startCall("wait", { ms: 30_000 });
    await until(() => started.length === 1, 30_000, "it runs");
    await session.stop();
    expect((await bridge.answerTo(id)).result).toMatchObject({ isError: true });
    expect((await bridge.call("wait", { ms: 1 })).content[0].text).toContain("no program is listening");
    expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
  });
});
