// The whole way once: an MCP client, a bridge process started by the session's configuration, and the
// function in this very process.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect } from "vitest";
import type { IPCSession } from "../src/parent/session.ts";
import { anyTool, it, turn } from "./fixtures/parent-it.ts";
import { cacheHome } from "./process/bridges.ts";
import { bundledBridge } from "./process/raw-parent.ts";
import { until } from "../../../test/kit/until.ts";

// The bundle, which starts in a third of the processor time that the sources take.
const options = { bridgeCommand: [process.execPath, bundledBridge] } as const;

const createTransport = ({ mcpServerConfig: { command, args } }: IPCSession): StdioClientTransport =>
  new StdioClientTransport({ command, args: [...args], env: { XDG_CACHE_HOME: cacheHome } });

async function withClient<Result>(session: IPCSession, action: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: "test-client", version: "1.2.3" });
  await client.connect(createTransport(session));
  try {
    return await action(client);
  } finally {
    await client.close();
  }
}

describe("a call through a bridge process", () => {
  it("R22 R59 R60 R61 runs in the parent, which learns the client's name; a failure arrives as one", async ({ start }) => {
    const session = await start(
      [
        anyTool("pid", (_, { client }) => ({ pid: process.pid, client })),
        anyTool("no", () => ({ content: [{ type: "text", text: "no" }], isError: true })),
      ],
      options,
    );
    await withClient(session, async (client) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["pid", "no"]);
      const { structuredContent } = await client.callTool({ name: "pid", arguments: {} });
      expect(structuredContent).toEqual({ pid: process.pid, client: { name: "test-client", version: "1.2.3" } });
      expect((await client.callTool({ name: "no", arguments: {} })).isError).toBe(true);
    });
  });

  it("H4 that its client cancels aborts the function, and the next call works", async ({ start }) => {
    const signals: AbortSignal[] = [];
    const session = await start(
      [anyTool("hang", (_, { signal }) => new Promise(() => void signals.push(signal))), anyTool("quick", () => "quick")],
      options,
    );
    await withClient(session, async (client) => {
      const cancel = new AbortController();
      const hanging = client.callTool({ name: "hang", arguments: {} }, { signal: cancel.signal });
      await until(() => signals.length === 1);
      cancel.abort(new Error("enough"));
      await expect(hanging).rejects.toThrow(/enough/);
      await until(() => signals[0]?.aborted === true);
      expect((await client.callTool({ name: "quick", arguments: {} })).content).toEqual([{ type: "text", text: "quick" }]);
    });
  });

  it("BRG-08 whose bridge is killed aborts the function, and the next bridge works", async ({ start }) => {
    const signals: AbortSignal[] = [];
    const session = await start(
      [anyTool("hang", (_, { signal }) => new Promise(() => void signals.push(signal))), anyTool("quick", () => "quick")],
      options,
    );
    const client = new Client({ name: "test-client", version: "1.2.3" });
    const transport = createTransport(session);
    await client.connect(transport);
    const hanging = client.callTool({ name: "hang", arguments: {} }).catch((error: unknown) => error);
    await until(() => signals.length === 1);
    process.kill(transport.pid ?? 0, "SIGKILL");
    await until(() => signals[0]?.aborted === true);
    expect(await hanging).toBeInstanceOf(Error);
    await client.close();
    await turn();
    const answer = await withClient(session, (next) => next.callTool({ name: "quick", arguments: {} }));
    expect(answer.content).toEqual([{ type: "text", text: "quick" }]);
  });
});
