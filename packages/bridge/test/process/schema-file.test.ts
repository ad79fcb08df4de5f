// The schema file: read once, at start. What breaks the contract ends the process at once, with the
// place on stderr; everything else is served, and the file is not needed any more.

import fs from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { createToolList } from "../../src/process/tool-list.ts";
import { defineTool, it } from "./bridges.ts";
import { bundledBridge } from "./raw-parent.ts";

const valid = { name: "ok", description: "", input_schema: { type: "object" } };
const configFor = (schemaPath: string, socketPath = "/nowhere/at-all.sock"): { command: string; args: readonly string[] } => ({
  command: process.execPath,
  args: [bundledBridge, socketPath, schemaPath],
});

describe("a schema file that breaks the contract", () => {
  const faults: readonly [string, string | Buffer, RegExp][] = [
    ["of 0 bytes", "", /can't read the schema file .*JSON/],
    ["of invalid JSON", "[{", /can't read the schema file .*JSON/],
    ["that is not UTF-8", Buffer.from('[{"name":"\xff"}]', "latin1"), /not valid UTF-8/],
    ["that isn't an array", JSON.stringify({ tools: [] }), /must hold a JSON array/],
    ["with an entry that isn't an object", JSON.stringify([valid, null]), /tool 1: `name` must be a string/],
    [
      "with an entry without name",
      JSON.stringify([valid, valid, { ...valid, name: undefined }].slice(1)),
      /tool 1: `name` must be a string/,
    ],
    ["with a name of a wrong type", JSON.stringify([{ ...valid, name: 5 }]), /tool 0: `name` must be a string/],
    [
      "with an entry without description",
      JSON.stringify([valid, { name: "x", input_schema: {} }]),
      /tool 1: `description` of "x" must be a string/,
    ],
    [
      "with an entry without input_schema",
      JSON.stringify([{ name: "x", description: "" }]),
      /tool 0: `input_schema` of "x" must be an object/,
    ],
    ["with camelCase members", JSON.stringify([{ name: "x", description: "", inputSchema: {} }]), /tool 0: `input_schema` of "x"/],
    ["with a list as input_schema", JSON.stringify([{ ...valid, input_schema: [] }]), /tool 0: `input_schema` of "ok" must be an object/],
    ["with two tools of one name", JSON.stringify([valid, { ...valid, name: "b" }, valid]), /tool 2: "ok" is also the name of tool 0/],
  ];

  it("H10 of another user exits 2: a stranger may have taken the name after the program ended", async ({ directory, start, skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a file to another user");
    const schemaPath = join(directory, "schema.json");
    fs.writeFileSync(schemaPath, JSON.stringify([valid]));
    fs.chownSync(schemaPath, 54_321, 54_321);
    const bridge = start(configFor(schemaPath));
    expect(await bridge.exited).toMatchObject({ code: 2 });
    expect(bridge.stderr).toContain("it belongs to another user (54321)");
  });

  it.for(faults)("R39 BRG-09 H16: %s is refused as it is read, and it is said where", ([, content, reason], { directory }) => {
    const schemaPath = join(directory, "schema.json");
    fs.writeFileSync(schemaPath, content);
    const read = (): unknown => createToolList({ schemaPath, follow: false });
    expect(read).toThrow(reason);
    expect(read).toThrow(schemaPath);
  });

  it("R39 BRG-09 H16: one that is refused is exit 2 at once, whatever else it could wait for", async ({ directory, start }) => {
    const schemaPath = join(directory, "schema.json");
    fs.writeFileSync(schemaPath, "[{");
    // Its input stays open, and no program answers at the socket.
    const bridge = start(configFor(schemaPath));
    expect(await bridge.exited).toEqual({ code: 2, signal: null });
    expect(bridge.stderr).toMatch(/can't read the schema file .*JSON/);
    expect(bridge.stderr).toContain(schemaPath);
    expect(bridge.messages).toEqual([]);
  });

  it("BRG-09 H16: a missing file, a directory and a pipe exit 2, without waiting for the pipe", async ({ directory, start }) => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const [path, reason] of [
      [join(directory, "missing"), /there is no such file; is the program running\?/],
      [directory, /isn't a regular file/],
      [pipe, /isn't a regular file/],
    ] as const) {
      const bridge = start(configFor(path));
      expect(await bridge.exited).toEqual({ code: 2, signal: null });
      expect(bridge.stderr).toMatch(reason);
    }
  });
});

describe("a schema file that keeps the contract", () => {
  it("R37 R38 R40 R41 R43 R60: its path is the last argument; it is private, there before the bridge, and read once", async ({
    serve,
    start,
  }) => {
    const session = await serve([defineTool({ name: "one", description: "One.", input: { type: "object" }, run: () => "1" })]);
    const { mcpServerConfig, schemaPath, socketPath } = session;
    expect(mcpServerConfig).toEqual({ type: "stdio", command: process.execPath, args: [bundledBridge, socketPath, schemaPath] });
    expect(fs.statSync(schemaPath).mode & 0o777).toBe(0o600);
    expect(JSON.parse(fs.readFileSync(schemaPath, "utf8"))).toEqual([
      { name: "one", description: "One.", input_schema: { type: "object" } },
    ]);
    const bridge = start(mcpServerConfig);
    await bridge.initialize();
    fs.rmSync(schemaPath);
    expect((await bridge.request("tools/list")).result).toEqual({
      tools: [{ name: "one", description: "One.", inputSchema: { type: "object" } }],
    });
    expect((await bridge.call("one")).content).toEqual([{ type: "text", text: "1" }]);
  });

  it("R44 BRG-09: ten thousand tools and three megabytes are listed in one answer; no schema is in argv or environment", async ({
    directory,
    start,
  }) => {
    const schemaPath = join(directory, "schema.json");
    const description = `secret-text ${"d".repeat(200)}`;
    const tools = Array.from({ length: 10_000 }, (_, index) => ({ name: `tool_${index}`, description, input_schema: { type: "object" } }));
    fs.writeFileSync(schemaPath, JSON.stringify(tools));
    expect(fs.statSync(schemaPath).size).toBeGreaterThan(2_500_000);
    const bridge = start(configFor(schemaPath));
    await bridge.initialize();
    const { result } = await bridge.request("tools/list");
    expect(result.tools).toHaveLength(10_000);
    expect(result.nextCursor).toBeUndefined();
    for (const file of ["cmdline", "environ"]) expect(fs.readFileSync(`/proc/${bridge.pid}/${file}`, "utf8")).not.toContain("secret-text");
  });

  it("SOK-08: fifty megabytes of schemas are listed page by page, each short enough for every client", async ({ directory, start }) => {
    const schemaPath = join(directory, "schema.json");
    const tools = Array.from({ length: 50 }, (_, index) => ({ ...valid, name: `tool_${index}`, description: "d".repeat(1_000_000) }));
    fs.writeFileSync(schemaPath, JSON.stringify(tools));
    const bridge = start(configFor(schemaPath));
    await bridge.initialize();
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await bridge.request("tools/list", cursor === undefined ? undefined : { cursor });
      names.push(...result.tools.map(({ name }: { name: string }) => name));
      expect(JSON.stringify(result).length).toBeLessThan(4_100_000);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(tools.map(({ name }) => name));
    expect((await bridge.request("tools/list", { cursor: "99" })).error.code).toBe(-32_602);
  });

  it("R46: a tool that no client can take is left out with a reason on stderr, and the others are offered", async ({
    directory,
    start,
  }) => {
    const schemaPath = join(directory, "schema.json");
    fs.writeFileSync(schemaPath, JSON.stringify([{ ...valid, name: "list", input_schema: { type: "array" } }, valid]));
    const bridge = start(configFor(schemaPath));
    await bridge.initialize();
    expect((await bridge.request("tools/list")).result.tools).toHaveLength(1);
    await bridge.whenLogged('[hawser] tool "list" is left out: its input_schema does not describe an object');
  });

  it("R46: an odd name reaches the client mapped and the function as it was", async ({ serve, start }) => {
    const run = (): string => "by its own name";
    const bridge = start(
      (await serve([defineTool({ name: "files.read all", description: "", input: { type: "object" }, run })])).mcpServerConfig,
    );
    await bridge.initialize();
    expect((await bridge.request("tools/list")).result.tools).toMatchObject([{ name: "files_read_all" }]);
    expect((await bridge.call("files_read_all")).content[0].text).toBe("by its own name");
  });

  it("no tools at all is a server with an empty list", async ({ directory, start }) => {
    fs.writeFileSync(join(directory, "schema.json"), "[]");
    const bridge = start(configFor(join(directory, "schema.json")));
    await bridge.initialize();
    expect((await bridge.request("tools/list")).result).toEqual({ tools: [] });
  });
});
