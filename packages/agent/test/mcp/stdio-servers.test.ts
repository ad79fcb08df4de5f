// MCP servers as children, real ones: their tools, results, cancellation, and that none is left behind.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { agentLimits } from "../../src/limits.ts";
import { protocolLimits } from "@hawser/protocol/internal";
import { wireLimits } from "@hawser/wire";
import { prepareInput } from "@hawser/tools/internal";
import { connectMcpServers } from "../../src/mcp/connect-servers.ts";
import { toToolName } from "../../src/mcp/remote-tool.ts";
import { processorMs } from "../processor-time.ts";
import { deaf, isAlive, odd, official, openStage, type Stage } from "./stage.ts";

const waitOptions = { timeout: 40_000, interval: 20 };

describe("tools of an MCP server", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ harbour: { ...official, env: { ...official.env, SERVER_TOKEN: "canary-token-1" } } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("are named after server and tool, from all pages, with their schema for the model", async () => {
    const tools = stage.servers.tools();
    expect(tools.map(({ name }) => name)).toContain("harbour__echo");
    expect(tools.map(({ name }) => name)).toContain("harbour__waits");
    const echo = tools.find(({ name }) => name === "harbour__echo")!;
    expect(echo.description).toBe("The tool echo.");
    expect(prepareInput(echo.name, echo.input).jsonSchema).toMatchObject({ type: "object", required: ["value"] });
    expect(stage.servers.status()).toEqual([{ name: "harbour", state: "connected" }]);
  });

  it("SEC-04: are never read-only for permissions, whatever the server says; its other hints are kept", async () => {
    const annotations = stage.servers.tools().map((tool) => tool.annotations);
    expect(annotations.every((each) => each?.readOnlyHint === undefined)).toBe(true);
    expect(annotations[0]).toEqual({ title: "echo", destructiveHint: false });
  });

  it("SEC-05: a schema with a pattern that never ends stalls nothing: the server checks its own arguments", async () => {
    const echo = stage.servers.tools().find(({ name }) => name === "harbour__echo")!;
    const check = () => prepareInput(echo.name, echo.input).check(echo.name, { value: `${"a".repeat(28)}!` });
    expect(await processorMs(check)).toBeLessThan(2_000);
  });

  it("give plain JSON values: text joined, structured content as it is; with a picture, the blocks as the server sent them", async () => {
    expect(await stage.call("harbour__echo", { value: "ahoy ✓" })).toBe("ahoy ✓");
    expect(await stage.call("harbour__lines")).toBe("first\nsecond");
    expect(await stage.call("harbour__structured")).toEqual({ knots: 7 });
    expect(await stage.call("harbour__picture")).toEqual({
      content: [
        { type: "text", text: "a boat" },
        { type: "image", data: Buffer.alloc(30).toString("base64"), mimeType: "image/png" },
        { type: "resource_link", uri: "file:///boat.txt", name: "boat" },
      ],
    });
  });

  it("throw what the server calls an error, as tool_failed with its words, and without secrets", async () => {
    await expect(stage.call("harbour__fails")).rejects.toMatchObject({
      code: "tool_failed",
      message: 'MCP server "harbour": no wind; token [redacted]',
    });
    await expect(stage.call("harbour__throws")).rejects.toMatchObject({ code: "tool_failed", message: /mast is broken/ });
  });

  it("report their progress", async () => {
    const seen: unknown[] = [];
    await stage.call("harbour__progress", {}, { progress: (...all) => void seen.push(all) });
    expect(seen).toEqual([
      [1, 2, "half"],
      [2, 2, "all"],
    ]);
  });

  it("are cancelled by the signal at once, the server is told, and answers the next call", async () => {
    const file = join(stage.folder, "waits");
    const controller = new AbortController();
    const waiting = stage.call("harbour__waits", { file }, { signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(`${file}.started`)).toBe(true), waitOptions);
    controller.abort(new TypeError("the user said stop"));
    await expect(waiting).rejects.toThrow("the user said stop");
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).toBe("cancelled"), waitOptions);
    expect(await stage.call("harbour__echo", { value: "still here" })).toBe("still here");
  });

  it("G15 an answer of more than the limit ends its call with an error, and the server lives", async () => {
    await expect(stage.call("harbour__huge", { bytes: wireLimits.maxMessageBytes + 1 })).rejects.toThrow(/the limit is 10485760/);
    expect(await stage.call("harbour__huge", { bytes: 5 })).toBe("hhhhh");
  });

  it("appear again when the server says that they have changed", async () => {
    await using stage = await openStage({ odd: odd("changes") });
    expect(stage.servers.tools().map(({ name }) => name)).toEqual(["odd__one"]);
    await stage.call("odd__one");
    await vi.waitFor(() => expect(stage.servers.tools().map(({ name }) => name)).toEqual(["odd__one", "odd__two"]), waitOptions);
  });
});

describe.concurrent("two MCP servers", () => {
  it("SEC-04: can't take each other's names: the first of the configuration keeps it", async () => {
    const name = toToolName("x y", "one");
    await using stage = await openStage({ "x y": odd("plain"), x_y: odd(`named:${name.slice("x_y__".length)}`), z: odd("plain") });
    expect(stage.servers.status().map(({ state }) => state)).toEqual(["connected", "connected", "connected"]);
    expect(stage.servers.tools().map((tool) => tool.name)).toEqual([name, "z__one"]);
    // Without a description of its own, a tool is described by the name that its server gives it.
    expect(stage.servers.tools()[0]?.description).toBe("one");
  });
});

describe.concurrent("the child of an MCP server", () => {
  it("CMD-04: gets an allow-list of the environment and its own `env`, and no key of ours", async () => {
    const env = { PATH: process.env["PATH"], HOME: "/home/ada", ANTHROPIC_API_KEY: "canary-key", HARBOUR: "Hamburg" };
    await using stage = await openStage(
      { harbour: { ...official, env: { ...official.env, PORT_NAME: "${HARBOUR}", MODE: "${MODE:-calm}" } } },
      { env },
    );
    const seen = JSON.parse((await stage.call("harbour__environment")) as string) as Record<string, string>;
    expect(seen).toMatchObject({ HOME: "/home/ada", PORT_NAME: "Hamburg", MODE: "calm" });
    expect(JSON.stringify(seen)).not.toContain("canary-key");
  });

  it("is gone when the servers are closed, or the signal aborts", async () => {
    const controller = new AbortController();
    await using stage = await openStage({ harbour: official, odd: odd("plain") }, { signal: controller.signal });
    const pid = Number(await stage.call("harbour__pid"));
    expect(isAlive(pid)).toBe(true);
    controller.abort();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), waitOptions);
    await stage.servers.close();
    expect(stage.servers.status().map(({ state }) => state)).toEqual(["closed", "closed"]);
    await expect(stage.call("harbour__pid")).rejects.toMatchObject({ code: "closed" });
  });

  it("is replaced by a restart during which the configuration changes, and obeys the change", async () => {
    await using stage = await openStage({ harbour: official });
    const before = await stage.call("harbour__pid");
    const restarted = stage.servers.restart("harbour");
    await stage.servers.update({ harbour: { ...official, disabledTools: ["echo"] } });
    await restarted;
    expect(stage.servers.status()).toEqual([{ name: "harbour", state: "connected" }]);
    expect(await stage.call("harbour__pid")).not.toBe(before);
    expect(stage.servers.tools().map(({ name }) => name)).not.toContain("harbour__echo");
  });

  it("is killed when it ignores the end of its input and SIGTERM", { timeout: 240_000 }, async () => {
    await using stage = await openStage({ odd: odd("stubborn") });
    const pid = Number(await stage.call("odd__one"));
    await stage.servers.close();
    expect(isAlive(pid)).toBe(false);
    expect(stage.servers.status()).toEqual([{ name: "odd", state: "closed" }]);
  });
});

describe.concurrent("an MCP server that fails", () => {
  it("is a notice with its last words and without secrets; the others work", async () => {
    await using stage = await openStage({
      dies: { ...odd("dies"), env: { ...odd("dies").env, SERVER_TOKEN: "canary-token-2" } },
      nowhere: { command: "hawser-no-such-program" },
      unset: { command: process.execPath, env: { KEY: "${HAWSER_NOT_SET}" } },
      odd: odd("plain"),
    });
    expect(stage.servers.tools().map(({ name }) => name)).toEqual(["odd__one"]);
    expect(stage.servers.status()).toMatchObject([
      { name: "dies", state: "failed", reason: /ended with exit code 4; its last words: cannot open the harbour with \[redacted\]/ },
      { name: "nowhere", state: "failed", reason: /can't start hawser-no-such-program: there is no such program/ },
      { name: "unset", state: "failed", reason: /the environment variable HAWSER_NOT_SET is not set/ },
      { name: "odd", state: "connected" },
    ]);
    expect(stage.notices.filter((notice) => !notice.startsWith('MCP server "odd"'))).toHaveLength(3);
    expect(stage.notices.join("\n")).not.toContain("canary-token-2");
  });

  it("SEC-04: is told in one line in which its words hide nothing", async () => {
    const words = 'console.error("line one\\nsunk\\u001b[2J\\u202e"); process.exit(3)';
    await using stage = await openStage({ hidden: { command: process.execPath, args: ["-e", words] } });
    expect(stage.notices).toEqual([expect.stringContaining("its last words: sunk⟨U+001B⟩[2J⟨U+202E⟩")]);
    expect(stage.notices.join("")).not.toMatch(/[\n\u001b\u202e]/);
  });

  it("that never answers delays nobody, and is given up after the time to connect", { timeout: 240_000 }, async () => {
    const servers = connectMcpServers({ silent: odd("silent") }, { mcpConnectMs: 4_000 });
    await servers.whenReady(10);
    expect(servers.status()).toEqual([{ name: "silent", state: "connecting" }]);
    expect(servers.tools()).toEqual([]);
    await servers.whenReady(100_000);
    expect(servers.status()).toMatchObject([{ state: "failed", reason: "it has not answered within 4000 ms" }]);
    await servers.close();
  });

  it("that neither answers nor ends is gone when it counts as failed", async () => {
    await using stage = await openStage({ deaf }, { mcpConnectMs: 10_000 });
    expect(stage.servers.status()).toMatchObject([{ name: "deaf", state: "failed" }]);
    expect(isAlive(Number(readFileSync(join(stage.folder, "pid"), "utf8")))).toBe(false);
  });

  it("that dies during a call ends it with a clear error, and the next call starts it again", async () => {
    await using stage = await openStage({ harbour: official });
    const before = await stage.call("harbour__pid");
    await expect(stage.call("harbour__exits")).rejects.toMatchObject({
      code: "connection_lost",
      message: 'MCP server "harbour": is lost: it ended with exit code 3',
    });
    expect(stage.servers.status()).toEqual([{ name: "harbour", state: "lost", reason: "it ended with exit code 3" }]);
    expect(stage.notices).toEqual(['MCP server "harbour": is lost: it ended with exit code 3']);
    const after = await stage.call("harbour__pid");
    expect(after).not.toBe(before);
    expect(stage.servers.status()).toEqual([{ name: "harbour", state: "connected" }]);
  });

  it("G15 that dies again and again is started a limited number of times", { timeout: 240_000 }, async () => {
    await using stage = await openStage({ harbour: official });
    for (let start = 0; start <= agentLimits.mcpRestartEntries; start++)
      await expect(stage.call("harbour__exits")).rejects.toThrow("is lost: it ended with exit code 3");
    await expect(stage.call("harbour__exits")).rejects.toThrow(/also after 3 new starts\. Start the agent again/);
  });

  it("that lists without end, or the same name twice, is bounded and told", async () => {
    await using stage = await openStage({ endless: odd("endless"), twins: odd("twins") });
    expect(stage.servers.status()[0]).toMatchObject({ state: "failed", reason: "its list of tools has no end" });
    expect(stage.notices).toContain('MCP server "twins": it has two tools that are called twins__one');
    const names = stage.servers.tools().map(({ name }) => name);
    expect(names).toHaveLength(4);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe.concurrent("a tool whose name is too long", () => {
  it("is left out and told of, without its name, and is neither offered nor listed", async () => {
    await using stage = await openStage({ odd: odd("long-names") });
    const told = stage.notices.filter((notice) => notice.includes("tools"));
    expect(told).toEqual(['MCP server "odd": 2 of its tools are left out: their names have more than 256 characters']);
    expect(stage.servers.tools()).toHaveLength(2);
    expect(stage.servers.toolsOf("odd").map(({ name }) => name.length)).toEqual([3, 256]);
  });
});

describe.concurrent("an MCP server that writes garbage on its stdout", () => {
  it("R132 G1 keeps its connection and its calls: each line is skipped, and told with its hidden characters shown", async () => {
    await using stage = await openStage({ odd: odd("garbage") });
    expect(stage.servers.status()).toEqual([{ name: "odd", state: "connected" }]);
    expect(await stage.call("odd__one")).toMatch(/^\d+$/);
    expect(await stage.call("odd__one")).toMatch(/^\d+$/);
    expect(stage.servers.status()).toEqual([{ name: "odd", state: "connected" }]);
    expect(stage.notices.slice(0, 2)).toEqual([
      'MCP server "odd": skipped a line on stdout that isn\'t a message: "Loading \\u001b[2J⟨U+202E⟩modules ⟨U+200B⟩…"',
      'MCP server "odd": skipped a line on stdout that isn\'t a message: "{debug: starting}"',
    ]);
  });

  it("G10 G15 a flood of it is bounded in the log, and tells no secret", async () => {
    await using stage = await openStage({
      odd: { ...odd("flood"), env: { ...odd("flood").env, SERVER_TOKEN: `canary-${"token".repeat(100)}` } },
    });
    expect(await stage.call("odd__one")).toMatch(/^\d+$/);
    expect(stage.notices.length).toBeLessThanOrEqual(protocolLimits.shownNoiseEntries + 20);
    expect(stage.notices.at(-1)).toBe('MCP server "odd": skipped 2048 lines on stdout so far that aren\'t messages');
    expect(stage.notices.join("")).not.toContain("canary");
  });

  it("G1 an answer that is neither a result nor an error ends its call", async () => {
    await using stage = await openStage({ odd: odd("empty answer") });
    await expect(stage.call("odd__one")).rejects.toMatchObject({ code: "tool_failed", message: /neither a result nor an error/ });
    expect(stage.servers.status()).toEqual([{ name: "odd", state: "connected" }]);
  });
});
