// The life of a session: its states, its files, its configuration. Whatever is done in whatever order,
// nothing throws that should not, and nothing is left behind.

import { execFile } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:net";
import { basename, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { describe, expect } from "vitest";
import { defineTool } from "@hawser/tools";
import { HawserError, SocketPathTooLong } from "@hawser/protocol/internal";
import { createIPCSession } from "../src/parent/session.ts";
import { connectClient } from "./fixtures/parent-client.ts";
import { anyTool, echoTool, it } from "./fixtures/parent-it.ts";

const readSchemas = (path: string): unknown => JSON.parse(fs.readFileSync(path, "utf8"));

describe("states", () => {
  it("R47 R50 goes from created over started to stopped", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    expect(session.state).toBe("created");
    expect(fs.readdirSync(directory)).toEqual([]);
    await session.start();
    expect(session.state).toBe("started");
    await session.stop();
    expect(session.state).toBe("stopped");
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R50 SOK-17 starting twice and stopping twice are one start and one stop", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    await Promise.all([session.start(), session.start()]);
    await session.start();
    expect(fs.readdirSync(directory)).toHaveLength(3);
    await Promise.all([session.stop(), session.stop()]);
    await session.stop();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R47 SOK-17 stopping while it starts ends both: the start is told, the stop succeeds", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    const started = session.start();
    const stopped = session.stop();
    await expect(started).rejects.toMatchObject({ code: "cancelled", message: "the session was stopped while it started" });
    await stopped;
    expect(session.state).toBe("stopped");
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R47 a session that was never started can be stopped, and then not started", async ({ directory }) => {
    const session = createIPCSession([], { directory });
    await session.stop();
    await expect(session.start()).rejects.toMatchObject({ code: "usage", message: "this session has stopped; create a new one" });
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R47 R50 is stopped by `await using`, also when the block throws", async ({ directory }) => {
    const block = async (): Promise<void> => {
      await using session = createIPCSession([echoTool], { directory });
      await session.start();
      expect(fs.readdirSync(directory)).toHaveLength(3);
      throw new Error("in the middle");
    };
    await expect(block()).rejects.toThrow("in the middle");
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("SOK-17 any order of starts, stops and calls keeps to the states and leaves nothing", async ({ directory }) => {
    const actions = constantFrom("start", "start and go on", "stop", "stop and go on", "call", "wait");
    const property = asyncProperty(array(actions, { maxLength: 8 }), async (steps) => {
      const session = createIPCSession([echoTool], { directory });
      const pending: Promise<unknown>[] = [];
      for (const step of steps) {
        const before = session.state;
        const action = step.startsWith("start") ? session.start() : step.startsWith("stop") ? session.stop() : Promise.resolve();
        const settled = action.catch((error: unknown) => expect(HawserError.isInstance(error)).toBe(true));
        pending.push(settled);
        if (step === "start" || step === "stop" || step === "wait") await settled;
        if (step === "call" && before === "started") await callOnce(session.socketPath);
        if (before === "stopped") expect(session.state).toBe("stopped");
      }
      await Promise.all([...pending, session.stop()]);
      expect(fs.readdirSync(directory)).toEqual([]);
    });
    await assert(property, { numRuns: 60 });
  });
});

async function callOnce(path: string): Promise<void> {
  const client = await connectClient(path);
  expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  client.socket.destroy();
}

describe("a start that fails", () => {
  it("R47 says why, ends stopped and leaves nothing", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory: join(directory, "not-there") });
    await expect(session.start()).rejects.toThrow(
      `can't put the session's files into ${join(directory, "not-there")}: there is no such directory; create it, or name another one`,
    );
    expect(session.state).toBe("stopped");
    await session.stop();
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("R47 R42 removes the files again when the schema file can't be published", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    fs.mkdirSync(session.schemaPath);
    await expect(session.start()).rejects.toThrow(session.schemaPath);
    expect(session.state).toBe("stopped");
    expect(fs.readdirSync(directory)).toEqual([basename(session.schemaPath)]);
  });

  it("R54 SOK-07 refuses names that others hold and leaves theirs alone", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    fs.writeFileSync(session.schemaPath, "precious");
    await expect(session.start()).rejects.toMatchObject({ code: "name_taken" });
    expect(fs.readFileSync(session.schemaPath, "utf8")).toBe("precious");
    expect(fs.readdirSync(directory)).toEqual([basename(session.schemaPath)]);
  });

  it("R54 refuses a socket name on which somebody listens, and takes over a dead one", async ({ directory }) => {
    const session = createIPCSession([echoTool], { directory });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(directory, "bound"), resolve));
    fs.linkSync(join(directory, "bound"), session.socketPath);
    await expect(session.start()).rejects.toMatchObject({ code: "name_taken" });
    expect(fs.readdirSync(directory).toSorted()).toEqual(["bound", basename(session.socketPath)]);
    const heir = createIPCSession([echoTool], { directory });
    fs.linkSync(join(directory, "bound"), heir.socketPath);
    await new Promise((resolve) => server.close(resolve));
    await heir.start();
    await callOnce(heir.socketPath);
    await heir.stop();
    expect(fs.readdirSync(directory)).toEqual([basename(session.socketPath)]);
  });
});

describe("tool handlers", () => {
  it("R52 R53 are the session's functions by name: arguments in, an MCP result out, checked as for a client", async ({ directory }) => {
    const fails = defineTool({
      name: "fails",
      description: "",
      input: { type: "object" },
      run: () => Promise.reject(new RangeError("no")),
    });
    const typed = { type: "object", properties: { a: { type: "number" } } } as const;
    const first = createIPCSession([defineTool({ name: "add", description: "", input: typed, run: ({ a }) => Number(a) + 1 })], {
      directory,
    });
    const second = createIPCSession([fails], { directory });
    expect([Object.keys(first.toolHandlers), Object.keys(second.toolHandlers)]).toEqual([["add"], ["fails"]]);
    expect(await first.toolHandlers["add"]?.({ a: 1 })).toMatchObject({ content: [{ type: "text", text: "2" }] });
    await expect(first.toolHandlers["add"]?.({ a: "x" })).rejects.toMatchObject({ facts: { type: "ToolInputValidationError" } });
    await expect(second.toolHandlers["fails"]?.({})).rejects.toMatchObject({
      name: "IPCToolExecutionError",
      facts: { tool: "fails", type: "RangeError" },
    });
  });
});

describe("configuration", () => {
  it("R37 R59 R60 starts this Node with the two paths last", ({ directory }) => {
    const { mcpServerConfig, socketPath, schemaPath } = createIPCSession([], { directory });
    expect(mcpServerConfig.type).toBe("stdio");
    expect(mcpServerConfig.command).toBe(process.execPath);
    expect(mcpServerConfig.args.slice(-2)).toEqual([socketPath, schemaPath]);
    expect(Object.keys(mcpServerConfig)).toEqual(["type", "command", "args"]);
    for (const path of mcpServerConfig.args.filter((arg) => !arg.startsWith("-"))) expect(isAbsolute(path)).toBe(true);
  });

  it("R59 R60 the sources start the bridge from the sources, however old a bundle lies beside them; the build starts the bundle", async ({
    directory,
  }) => {
    const folder = join(import.meta.dirname, "..");
    const source = createIPCSession([], { directory });
    expect(source.mcpServerConfig.args.slice(0, -2)).toEqual(["--conditions=hawser-source", join(folder, "src/process/main.ts")]);
    const script = "const { createIPCSession } = await import(process.argv[1]); console.log(createIPCSession([]).mcpServerConfig.args[0])";
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, join(folder, "dist/index.js")]);
    expect(stdout).toBe(`${join(folder, "dist/bridge.cjs")}\n`);
  });

  it("R60 H15 a given bridge command is used as it is", ({ directory }) => {
    const session = createIPCSession([], { directory, bridgeCommand: ["/opt/my app", "bridge", "--connections", "1"] });
    expect(session.mcpServerConfig).toEqual({
      type: "stdio",
      command: "/opt/my app",
      args: ["bridge", "--connections", "1", session.socketPath, session.schemaPath],
    });
  });

  it("R58 R60 H2 H3 connections and reconnect are options of the bridge, in front of the two paths", ({ directory }) => {
    const asked = { directory, bridgeCommand: ["bridge"], connections: 3, reconnect: "never" } as const;
    const { mcpServerConfig, socketPath, schemaPath } = createIPCSession([], asked);
    expect(mcpServerConfig).toEqual({
      type: "stdio",
      command: "bridge",
      args: ["--connections", "3", "--reconnect", "never", socketPath, schemaPath],
    });
    for (const wrong of [{ connections: 0 }, { connections: 1.5 }, { connections: 1_025 }, { reconnect: "always" as never }])
      expect(() => createIPCSession([], { directory, ...wrong })).toThrow(expect.objectContaining({ code: "usage" }) as Error);
  });

  it("H15 inside Electron the bridge is told to behave as Node", ({ directory }) => {
    Object.defineProperty(process.versions, "electron", { value: "99.0.0", configurable: true });
    try {
      expect(createIPCSession([], { directory }).mcpServerConfig.env).toEqual({ ELECTRON_RUN_AS_NODE: "1" });
      expect(createIPCSession([], { directory, bridgeCommand: ["app"] }).mcpServerConfig.env).toBeUndefined();
    } finally {
      delete (process.versions as Record<string, string>)["electron"];
    }
  });

  it("R37 a relative directory becomes an absolute path: clients start the bridge elsewhere", ({ directory }) => {
    const session = createIPCSession([], { directory: relative(process.cwd(), directory) });
    expect(session.socketPath).toBe(join(directory, basename(session.socketPath)));
  });

  it("H20 a directory whose path is too long is refused before anything is made", ({ directory }) => {
    expect(() => createIPCSession([], { directory: join(directory, "x".repeat(100)) })).toThrow(SocketPathTooLong);
  });

  it("R44 three megabytes of schemas appear in the file and nowhere in the configuration", async ({ directory }) => {
    const canary = "canary".repeat(500_000);
    await using session = createIPCSession([anyTool("big", () => 0), defineTool({ ...echoTool, description: canary })], { directory });
    await session.start();
    expect(readSchemas(session.schemaPath)).toMatchObject([{}, { description: canary }]);
    expect(JSON.stringify(session.mcpServerConfig)).not.toContain("canary");
    expect(JSON.stringify(process.env)).not.toContain("canarycanary");
  });
});

describe("several sessions", () => {
  it("R52 have tools of their own, even of the same name", async ({ start, connect }) => {
    const one = await connect(await start([anyTool("who", () => "one"), anyTool("only", () => "1")]));
    const two = await connect(await start({ who: anyTool("who", () => "two") }));
    expect((await one.ask("who")).result?.content[0]?.text).toBe("one");
    expect((await two.ask("who")).result?.content[0]?.text).toBe("two");
    expect((await one.ask("only")).result?.content[0]?.text).toBe("1");
    expect((await two.ask("only")).error?.type).toBe("ToolNotFoundError");
  });

  it("SOK-13 a hundred in one directory start, answer and stop without touching each other", async ({ directory }) => {
    const sessions = Array.from({ length: 100 }, (_, number) => createIPCSession([anyTool("n", () => ({ number }))], { directory }));
    await Promise.all(sessions.map((session) => session.start()));
    const answers = await Promise.all(
      sessions.map(async ({ socketPath }) => {
        const client = await connectClient(socketPath);
        const { result } = await client.ask("n");
        client.socket.destroy();
        return result?.structuredContent?.["number"];
      }),
    );
    expect(answers).toEqual(sessions.map((_, number) => number));
    await Promise.all(sessions.map((session) => session.stop()));
    expect(fs.readdirSync(directory)).toEqual([]);
  });
});
