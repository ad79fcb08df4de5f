// Faults of the MCP protocol, as raw lines: each request that can be told from its line gets one answer
// with the code that JSON-RPC gives it, and the session goes on.

import { describe, expect } from "vitest";
import { defineTool, it, type RawBridge } from "./bridges.ts";

const echo = defineTool({ name: "echo", description: "Says it again.", input: { type: "object" }, run: (args) => JSON.stringify(args) });

const alive = async (bridge: RawBridge): Promise<void> => {
  expect((await bridge.call("echo", { still: "here" })).content).toEqual([{ type: "text", text: '{"still":"here"}' }]);
};

/** Answers of the lines, by waiting for a later request: what is not there then never comes. */
async function answersTo(bridge: RawBridge, ...lines: readonly (string | Buffer)[]): Promise<unknown[]> {
  const before = bridge.messages.length;
  for (const line of lines) bridge.write(line);
  await bridge.request("ping");
  return bridge.messages.slice(before, -1);
}

const refused = (id: unknown, code: number): object => ({ jsonrpc: "2.0", id, error: { code, message: expect.any(String) as string } });

describe("protocol faults", () => {
  it("BRG-10: a request before initialize is answered, and so is initialize after it", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    expect((await bridge.request("ping")).result).toEqual({});
    expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
    expect((await bridge.initialize()).result.protocolVersion).toBe("2025-11-25");
    await alive(bridge);
  });

  it("BRG-10: a message that isn't an MCP request is refused with the code of its fault, and the session goes on", async ({
    serve,
    start,
  }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize();
    expect(await answersTo(bridge, '{"jsonrpc":"2.0","id":"m","method":"no/such"}')).toEqual([refused("m", -32_601)]);
    expect(await answersTo(bridge, '{"jsonrpc":"1.0","id":"w","method":"ping"}')).toEqual([refused("w", -32_600)]);
    expect(await answersTo(bridge, '{"id":"n","method":"ping"}')).toEqual([refused("n", -32_600)]);
    expect(await answersTo(bridge, '{"jsonrpc":"2.0","id":"e","method":5}')).toEqual([refused("e", -32_600)]);
    expect(await answersTo(bridge, '{"jsonrpc":"2.0","id":"j","method":"ping"')).toEqual([refused("j", -32_700)]);
    expect(await answersTo(bridge, '{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":7}}')).toEqual([
      refused("p", expect.any(Number) as number),
    ]);
    expect(await answersTo(bridge, '{"jsonrpc":"2.0","id":"c","method":"notifications/cancelled","params":{"requestId":1}}')).toEqual([
      refused("c", -32_601),
    ]);
    await alive(bridge);
  });

  it("BRG-10: garbage that names no request is logged and not answered", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize();
    const lines = [
      "hello?",
      "null",
      "5",
      '"x"',
      "{}",
      "[]",
      "",
      "   ",
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","method":"notifications/unknown"}',
    ];
    expect(await answersTo(bridge, ...lines)).toEqual([]);
    await bridge.whenLogged("[hawser] refused a message from the client: not valid JSON");
    await alive(bridge);
  });

  it("BRG-10: each request of a batch is refused by its id", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize("2025-03-26");
    const batch =
      '[{"jsonrpc":"2.0","id":100,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"tools/list"}]';
    expect(await answersTo(bridge, batch)).toEqual([refused(100, -32_600), refused("b", -32_600)]);
    await alive(bridge);
  });

  it("WIR-10 BRG-10: ids are echoed as they were written, also in refusals", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize();
    let stdout = "";
    bridge.process.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const served = ["0", '""', '" "', '"💥"', "-9007199254740991", "123456789", `"${"i".repeat(100_000)}"`];
    const refusedIds = ["9007199254740993", "1.5", "1e400", "-1e-7"];
    const unusable = ["null", "true", "{}", "[1]"];
    for (const id of [...served, ...refusedIds, ...unusable]) bridge.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    await alive(bridge);
    const idLines = stdout.split("\n").slice(0, served.length + refusedIds.length);
    for (const id of served) expect(idLines.filter((line) => line.includes(`"id":${id}`) && line.includes('"result":{}'))).toHaveLength(1);
    for (const id of refusedIds) expect(idLines.filter((line) => line.includes(`"id":${id},`) && line.includes("-32600"))).toHaveLength(1);
    for (const id of unusable) expect(stdout).not.toContain(`"id":${id}`);
  });

  it("BRG-10: a second request with an id that is in flight is refused and the first is unharmed", async ({ serve, start }) => {
    const gate = Promise.withResolvers<string>();
    const slow = defineTool({ name: "slow", description: "", input: { type: "object" }, run: () => gate.promise });
    const bridge = start((await serve([slow, echo])).mcpServerConfig);
    await bridge.initialize();
    const id = bridge.startCall("slow");
    expect(await answersTo(bridge, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toEqual([refused(id, -32_600)]);
    gate.resolve("first");
    expect(await bridge.until(({ result }) => result?.content?.[0]?.text === "first")).toMatchObject({ id });
    await alive(bridge);
  });

  it("G5: a line that is not UTF-8 is refused by its id, never repaired", async ({ serve, start }) => {
    const seen: unknown[] = [];
    const note = defineTool({ name: "note", description: "", input: { type: "object" }, run: (args) => void seen.push(args) });
    const bridge = start((await serve([note, echo])).mcpServerConfig);
    await bridge.initialize();
    const broken = Buffer.from('{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"note","arguments":{"a":"\u00e9"}}}');
    broken[broken.indexOf(0xc3)] = 0xff;
    expect(await answersTo(bridge, broken)).toEqual([refused("u", -32_700)]);
    const halfPair = '{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"note","arguments":{"a":"\\ud800"}}}';
    expect(await answersTo(bridge, halfPair)).toEqual([refused("s", -32_700)]);
    expect(seen).toEqual([]);
    await alive(bridge);
  });

  it("G14: a line nested too deeply is refused; brackets inside a string are none", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    await bridge.initialize();
    const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const line = (value: string): string =>
      `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"echo","arguments":{"a":${value}}}}`;
    expect(await answersTo(bridge, line(nested(100_000)))).toEqual([refused("d", -32_700)]);
    expect((await bridge.call("echo", { a: nested(100_000) })).isError).toBeUndefined();
    expect((await bridge.call("echo", { a: JSON.parse(nested(100)) as unknown })).isError).toBeUndefined();
  });
});

describe("protocol versions", () => {
  it("BRG-10 R57: initialize is answered with the version that it asks for, from the first on", async ({ serve, start }) => {
    const { mcpServerConfig } = await serve([echo]);
    const versions = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
    const serverInfo = { name: "hawser", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string };
    const check = async (protocolVersion: string): Promise<void> => {
      const bridge = start(mcpServerConfig);
      const { result } = await bridge.initialize(protocolVersion);
      expect(result).toEqual({ protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo });
      await alive(bridge);
    };
    await Promise.all(versions.map(check));
  });

  it("BRG-10: initialize with nonsense, or with a version that has no initialize, is answered with the newest that has", async ({
    serve,
    start,
  }) => {
    const session = await serve([echo]);
    for (const version of ["nonsense", "", "1999-01-01", "2026-07-28", "2099-12-31"]) {
      const bridge = start(session.mcpServerConfig);
      expect((await bridge.initialize(version)).result.protocolVersion).toBe("2025-11-25");
    }
  });

  const envelope = (version: string): object => ({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "modern", version: "9" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });

  it("R57: server/discover, list and call of 2026-07-28 are served without initialize", async ({ serve, start }) => {
    const who = defineTool({ name: "who", description: "", input: { type: "object" }, run: (_, { client }) => JSON.stringify(client) });
    const bridge = start((await serve([who])).mcpServerConfig);
    const discovered = (await bridge.request("server/discover", envelope("2026-07-28"))).result;
    expect(discovered).toMatchObject({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, resultType: "complete" });
    const listed = (await bridge.request("tools/list", envelope("2026-07-28"))).result;
    expect(listed).toMatchObject({ tools: [{ name: "who" }], resultType: "complete" });
    expect(listed).toHaveProperty("ttlMs");
    const called = (await bridge.request("tools/call", { name: "who", arguments: {}, ...envelope("2026-07-28") })).result;
    expect(called).toMatchObject({ resultType: "complete", content: [{ type: "text", text: '{"name":"modern","version":"9"}' }] });
  });

  it("R57: server/discover first and initialize then, as Claude Code does, ends in the 2025 era", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    expect((await bridge.request("server/discover", envelope("2026-07-28"))).result.supportedVersions).toEqual(["2026-07-28"]);
    expect((await bridge.initialize()).result.protocolVersion).toBe("2025-11-25");
    await alive(bridge);
  });

  it("BRG-10: a request that claims an unknown revision learns which are known", async ({ serve, start }) => {
    const bridge = start((await serve([echo])).mcpServerConfig);
    const { error } = await bridge.request("server/discover", envelope("2099-01-01"));
    expect(error).toMatchObject({ data: { supported: ["2026-07-28"], requested: "2099-01-01" } });
    expect((await bridge.initialize()).result.protocolVersion).toBe("2025-11-25");
    await alive(bridge);
  });
});
