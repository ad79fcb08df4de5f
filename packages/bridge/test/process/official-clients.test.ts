// The bridge as the official clients see it, in both eras, and through the Inspector's command line.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { cacheHome, defineTool, it as rawIt } from "./bridges.ts";
import { connectors, type OfficialClient } from "./official-clients.ts";
import { isRunning } from "../../../../test/kit/processes.ts";
import { until } from "../../../../test/kit/until.ts";

const object = { type: "object" } as const;

const it = rawIt.extend<{ connect: (kind: string, config: { command: string; args: readonly string[] }) => Promise<OfficialClient> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from this pattern
  connect: async ({}, use) => {
    const clients: OfficialClient[] = [];
    await use(async (kind, config) => {
      const client = await connectors[kind]!(config, { PATH: process.env["PATH"] ?? "", XDG_CACHE_HOME: cacheHome });
      clients.push(client);
      return client;
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const everyBlock = [
  { type: "text", text: "a\nb \u2028 💥", annotations: { audience: ["user"], priority: 0.5 }, _meta: { mine: [1] } },
  { type: "image", data: png, mimeType: "image/png" },
  { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "file:///x.txt", mimeType: "text/plain", text: "inside" } },
  { type: "resource_link", uri: "file:///y.txt", name: "y", description: "why", mimeType: "text/plain", size: 3 },
];

const tools = [
  defineTool({ name: "pid", description: "Whose.", input: object, run: () => String(process.pid) }),
  defineTool({ name: "blocks", description: "", input: object, run: () => ({ content: everyBlock, _meta: { trace: "t" } }) }),
  defineTool({ name: "failed", description: "", input: object, run: () => ({ content: [{ type: "text", text: "no" }], isError: true }) }),
  defineTool({ name: "throws", description: "", input: object, run: () => Promise.reject(new RangeError("out of reach")) }),
  defineTool({ name: "nothing", description: "", input: object, run: () => ({ content: [] }) }),
  defineTool({ name: "strange", description: "", input: object, run: () => ({ content: [{ type: "hologram", data: "?" }] }) }),
  defineTool({
    name: "sum",
    description: "",
    input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    annotations: { readOnlyHint: true, title: "Sum" },
    run: ({ a }) => ({ sum: Number(a) + 1 }),
  }),
];

describe.for(Object.keys(connectors))("%s", (kind) => {
  it("R57 R61 BRG-12: lists and calls; the function runs in the parent", async ({ serve, connect }) => {
    const client = await connect(kind, (await serve(tools)).mcpServerConfig);
    const listed = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(listed.at(-1)).toMatchObject({
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      annotations: { readOnlyHint: true, title: "Sum" },
    });
    expect((await client.callTool("pid")).content).toEqual([{ type: "text", text: String(process.pid) }]);
    expect((await client.callTool("sum", { a: 2 })).structuredContent).toEqual({ sum: 3 });
  });

  it("BRG-04 BRG-12 H9: every kind of block, its annotations and _meta arrive as they were sent", async ({ serve, connect }) => {
    const client = await connect(kind, (await serve(tools)).mcpServerConfig);
    const { content, _meta } = await client.callTool("blocks");
    expect(content).toEqual(everyBlock);
    expect(_meta).toMatchObject({ trace: "t" });
  });

  it("BRG-04 BRG-12 O2 H17: isError, an exception and an unknown block are results with isError; empty content is one empty text", async ({
    serve,
    connect,
  }) => {
    const client = await connect(kind, (await serve(tools)).mcpServerConfig);
    expect(await client.callTool("failed")).toMatchObject({ isError: true, content: [{ type: "text", text: "no" }] });
    expect(await client.callTool("throws")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: 'tool "throws" failed: out of reach' }],
      _meta: { error: { type: "RangeError" } },
    });
    expect(await client.callTool("nothing")).toMatchObject({ content: [{ type: "text", text: "" }] });
    const strange = await client.callTool("strange");
    expect(strange.isError).toBe(true);
    expect(strange.content[0].text).toMatch(/"strange" returned content that MCP clients can't read \(blocks of type hologram\)/);
    expect(await client.callTool("no-such-tool")).toMatchObject({ isError: true, _meta: { error: { type: "ToolNotFoundError" } } });
  });

  it("BRG-05 R19 R31: arguments over 10 MiB are an IPCMessageSizeError at once, and the session lives", async ({ serve, connect }) => {
    const client = await connect(kind, (await serve(tools)).mcpServerConfig);
    expect(await client.callTool("pid", { text: "x".repeat(10_485_760) })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/^tool "pid": line of \d+ bytes; the limit is 10485760/) as string }],
      _meta: { error: { type: "IPCMessageSizeError" } },
    });
    expect((await client.callTool("pid")).content).toEqual([{ type: "text", text: String(process.pid) }]);
  });

  it("H4 BRG-12: aborting a call aborts the function; progress reaches the client", async ({ serve, connect }) => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const patient = defineTool({
      name: "patient",
      description: "",
      input: object,
      run: (_, { signal, progress }) => {
        progress(0, 10, "zero");
        progress(4, 10);
        signal.addEventListener("abort", () => aborted.resolve());
        started.resolve();
        return new Promise(() => {});
      },
    });
    const client = await connect(kind, (await serve([patient])).mcpServerConfig);
    const seen: unknown[] = [];
    const controller = new AbortController();
    const call = client.callTool("patient", {}, { signal: controller.signal, onprogress: (progress) => seen.push(progress) });
    call.catch(() => {});
    await started.promise;
    await until(() => seen.length === 2, 30_000, "two reports of progress");
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await aborted.promise;
    expect(seen).toEqual([
      { progress: 0, total: 10, message: "zero" },
      { progress: 4, total: 10 },
    ]);
  });

  it("G8: closing the client ends the bridge", async ({ serve, connect }) => {
    const client = await connect(kind, (await serve(tools)).mcpServerConfig);
    expect(isRunning(client.pid)).toBe(true);
    await client.close();
    await until(() => !isRunning(client.pid), 30_000, "the bridge is gone");
  });
});

describe("the Inspector's command line", () => {
  const inspector = join(import.meta.dirname, "../../../../node_modules/.bin/mcp-inspector");
  const inspect = async ({ command, args }: { command: string; args: readonly string[] }, ...rest: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [inspector, "--cli", command, ...args, ...rest], {
      env: { ...process.env, XDG_CACHE_HOME: cacheHome },
    });
    return JSON.parse(stdout) as unknown;
  };

  it("R57: lists the tools and calls one", async ({ serve }) => {
    const { mcpServerConfig } = await serve(tools);
    expect(await inspect(mcpServerConfig, "--method", "tools/list")).toMatchObject({ tools: tools.map(({ name }) => ({ name })) });
    expect(await inspect(mcpServerConfig, "--method", "tools/call", "--tool-name", "sum", "--tool-arg", "a=41")).toMatchObject({
      structuredContent: { sum: 42 },
    });
  });
});
