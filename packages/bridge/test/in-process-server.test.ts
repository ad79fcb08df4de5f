// The tools for a client in the same process, seen by the official client over a pair of linked transports.

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { createInProcessServer, defineTool, type InProcessServer, toClientNames } from "../src/internal.ts";
import { until } from "../../../test/kit/until.ts";

const input = { type: "object" } as const;
const aborted: unknown[] = [];
let waiting = 0;
const tools = [
  defineTool({
    name: "echo",
    description: "Says it again.",
    input: { type: "object", properties: { word: { type: "string" } } },
    run: ({ word }) => word,
  }),
  defineTool({ name: "files.read all", description: "", input, run: () => "by its own name" }),
  defineTool({ name: "fails", description: "", input, run: () => Promise.reject(new RangeError("the table is empty")) }),
  defineTool({
    name: "slow",
    description: "",
    input,
    run(_, { progress, client }) {
      progress(1, 2, "half");
      progress(Number.NaN);
      return `for ${client?.name}`;
    },
  }),
  defineTool({
    name: "waits",
    description: "",
    input,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        waiting++;
        signal.addEventListener("abort", () => {
          aborted.push(signal.reason);
          reject(signal.reason as Error);
        });
      }),
  }),
];

async function connect(): Promise<{ client: Client; server: InProcessServer }> {
  const server = createInProcessServer(tools, { alwaysLoad: true });
  await server.start();
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far as never);
  const client = new Client({ name: "tester", version: "1.0.0" });
  await client.connect(near);
  onTestFinished(async () => {
    await client.close();
    await server.stop();
  });
  return { client, server };
}

describe("createInProcessServer", () => {
  it("R67 offers the tools by names that clients take, to be loaded at once", async () => {
    const { client } = await connect();
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(["echo", "files_read_all", "fails", "slow", "waits"]);
    expect(listed.every(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true)).toBe(true);
    expect([...toClientNames(tools)][1]).toEqual(["files_read_all", "files.read all"]);
  });

  it("calls functions, with progress, and makes failures and invalid arguments results that a model can read", async () => {
    const { client } = await connect();
    expect(await client.callTool({ name: "echo", arguments: { word: "ahoy" } })).toMatchObject({ content: [{ text: "ahoy" }] });
    expect(await client.callTool({ name: "files_read_all" })).toMatchObject({ content: [{ text: "by its own name" }] });
    const failed = await client.callTool({ name: "fails" });
    expect(failed).toMatchObject({ isError: true, _meta: { error: { type: "RangeError" } } });
    expect(await client.callTool({ name: "echo", arguments: { word: 3 } })).toMatchObject({ isError: true });
    const reports: unknown[] = [];
    const answer = await client.callTool({ name: "slow" }, { onprogress: (report) => void reports.push(report) });
    expect(answer).toMatchObject({ content: [{ text: "for tester" }] });
    expect(reports).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("aborts a function when its client cancels, and when it is stopped", async () => {
    const { client, server } = await connect();
    aborted.length = 0;
    waiting = 0;
    const controller = new AbortController();
    const cancelled = client.callTool({ name: "waits" }, { signal: controller.signal }).catch(() => "cancelled");
    await until(() => waiting === 1);
    controller.abort();
    expect(await cancelled).toBe("cancelled");
    const stopped = client.callTool({ name: "waits" }).catch(() => "stopped");
    await until(() => waiting === 2);
    await server.stop();
    expect(await stopped).toBe("stopped");
    await until(() => aborted.length === 2);
    await expect(server.connect(InMemoryTransport.createLinkedPair()[0] as never)).rejects.toThrow("the server was stopped");
  });
});
