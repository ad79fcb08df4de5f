// The command line: two paths and a few options; whatever else is a usage error that says what is
// wrong. `--check` tries everything that a first call needs.

import fs from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { bridgeUsage, parseBridgeOptions } from "../../src/contract/bridge-options.ts";
import { cacheHome, defineTool, it } from "./bridges.ts";
import { quickBridge } from "./quick-bridge.ts";
import { bundledBridge, textAnswer, unknownMethod } from "./raw-parent.ts";

const noop = defineTool({ name: "noop", description: "", input: { type: "object" }, run: () => "" });
const run = (args: readonly string[], file = bundledBridge): { code: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    encoding: "utf8",
    input: "",
    timeout: 150_000,
    env: { ...process.env, XDG_CACHE_HOME: cacheHome },
  });
  return { code: status, stdout, stderr };
};

describe("usage", () => {
  const paths = ["/a.sock", "/a.json"];
  const faults: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /two paths are needed.*; 0 given/],
    [["/a.sock"], /two paths are needed.*; 1 given/],
    [[...paths, "third"], /two paths are needed.*; 3 given/],
    [["--nonsense", ...paths], /Unknown option '--nonsense'/],
    [["--check=yes", ...paths], /--check/],
    [["--reconnect", "maybe", ...paths], /--reconnect is lazy or never, not maybe/],
    [["--reconnect", "never", "--follow", ...paths], /--follow is for a program that comes back/],
    ...["0", "1025", "1e2", "1.5", " 8", "0x8", ""].map(
      (text) => [[`--connections=${text}`, ...paths], /--connections is a whole number from 1 to 1024/] as const,
    ),
    ...["0", "10485761", "NaN", "-5"].map(
      (text) => [[`--max-result-bytes=${text}`, ...paths], /--max-result-bytes is a whole number from 1 to 10485760/] as const,
    ),
  ];

  it.for(faults)("R58: %j is refused", ([args, reason]) => {
    expect(() => parseBridgeOptions(args)).toThrow(reason);
  });

  it("R58: a usage error is exit 1, with the reason and the usage on stderr and nothing on stdout", () => {
    const { code, stdout, stderr } = run(["--connections", "0", ...paths]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(`hawser: --connections is a whole number from 1 to 1024, not 0\n\n${bridgeUsage}`);
  });

  it("R58: the options and their defaults", () => {
    const defaults = {
      socketPath: "/a.sock",
      schemaPath: "/a.json",
      connections: 8,
      reconnect: "lazy",
      maxResultBytes: 4_000_000,
      follow: false,
      check: false,
    };
    expect(parseBridgeOptions(paths)).toEqual(defaults);
    expect(parseBridgeOptions(["--connections", "1", "--reconnect=never", "--max-result-bytes", "10485760", "--check", ...paths])).toEqual({
      ...defaults,
      connections: 1,
      reconnect: "never",
      maxResultBytes: 10_485_760,
      check: true,
    });
    expect(parseBridgeOptions(["--", "-a.sock", "-b.json"])).toMatchObject({ socketPath: "-a.sock", schemaPath: "-b.json" });
  });

  it("--help prints the usage, with every option in it, and exits 0", () => {
    expect(run(["--help"])).toEqual({ code: 0, stdout: bridgeUsage, stderr: "" });
    for (const option of ["--connections", "--reconnect", "--max-result-bytes", "--follow", "--check"])
      expect(bridgeUsage).toContain(option);
    expect(Math.max(...bridgeUsage.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("R62: a bridge whose files are not all there exits non-zero and says what is missing", ({ directory }) => {
    const lonely = join(directory, "bridge.cjs");
    fs.copyFileSync(bundledBridge, lonely);
    const { code, stderr } = run(paths, lonely);
    expect(code).not.toBe(0);
    expect(stderr).toContain("bridge-main.cjs");
  });

  it("R63: the MCP server library is a direct dependency with an exact version", () => {
    const manifest = JSON.parse(fs.readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect(manifest.dependencies["@modelcontextprotocol/server"]).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("--check", () => {
  const check = (paths: readonly string[]): ReturnType<typeof run> => run(["--check", ...paths]);

  it("H16: says ok when the program answers hello", async ({ serve, start }) => {
    const { mcpServerConfig, socketPath } = await serve([noop]);
    const bridge = start(mcpServerConfig, { options: ["--check"] });
    expect(await bridge.exited).toEqual({ code: 0, signal: null });
    expect(bridge.stderr).toBe(`ok: 1 tool, the program at ${socketPath} answers\n`);
  });

  it("H16: is content with a parent of the plain contract, and says hello and nothing more", async ({ parent, start }) => {
    const raw = await parent({ onFrame: (_, { send }) => send(unknownMethod) });
    expect(await start(raw.config, { options: ["--check"] }).exited).toEqual({ code: 0, signal: null });
    expect(raw.frames.map(({ frame }) => frame.method)).toEqual(["hello"]);
  });

  it("H16 R30: exits 2 and names the path when no program is there, or when the schema is bad", async ({ directory, parent }) => {
    const { socketPath, schemaPath } = await parent({ onFrame: (_, { send }) => send(textAnswer("")) });
    const missing = join(directory, "missing");
    expect(check([missing, schemaPath])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(`no program is listening at ${missing}; is it running?`) as string,
    });
    const unreadable = `hawser: can't read the schema file ${missing}: there is no such file; is the program running?\n`;
    expect(check([socketPath, missing])).toMatchObject({ code: 2, stderr: expect.stringContaining(unreadable) as string });
  });

  it("H16: gives up on a program that accepts and never answers", async ({ parent, start }) => {
    const raw = await parent({ onFrame: () => {} });
    const [config, options] = quickBridge(raw.config, { connectTimeoutMs: 3_000 });
    const bridge = start(config, { ...options, options: ["--check"] });
    expect(await bridge.exited).toEqual({ code: 2, signal: null });
    expect(bridge.stderr).toBe(`hawser: the program at ${raw.socketPath} does not answer\n`);
  });
});
