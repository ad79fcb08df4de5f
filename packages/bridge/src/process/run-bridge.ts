// The bridge process: a stdio MCP server whose tools live in another program. It answers `tools/list` from memory, connects only when
// a tool is called, and stays useful when the program behind it is gone.

import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describeThrown, HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { logLine, runStdio, type Lifecycle } from "@hawser/wire/internal/node";
import { bridgeLimits } from "../limits.ts";
import type { BridgeOptions } from "../contract/bridge-options.ts";
import type { ClientTools } from "../contract/client-tools.ts";
import { createCalls, type Calls } from "./calls.ts";
import { clientLines } from "./client-lines.ts";
import { createClientRequests } from "./client-requests.ts";
import { createFitResult } from "./client-result.ts";
import { connectToParent } from "./connection.ts";
import { createMcpTransport } from "./mcp-transport.ts";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";
import { createToolList, type ToolList } from "./tool-list.ts";

export { toBridgeOptions } from "../contract/bridge-options.ts";
export type { AskedBridgeOptions, BridgeOptions } from "../contract/bridge-options.ts";
export { toClientTools } from "../contract/client-tools.ts";
export { ParentError, type ParentResult } from "./connection.ts";
export type { PoolCall } from "./pool.ts";

/** Where the tools run: in the program that owns a socket, or elsewhere. */
export interface ToolPlace {
  readonly toolList: ToolList;
  /** Whether the list may change while the client is there. */
  readonly isLive: boolean;
  /** The way to call them, for as long as the process lives. */
  open(room: Pick<PoolOptions, "stopping" | "whenRoom">): Pool;
}

/** Owns the process until the client closes its input. A failure is told on stderr, with exit code 2. */
export async function runBridge(options: BridgeOptions, version: string): Promise<void> {
  try {
    const toolList = createToolList(options);
    if (options.check) return await check(options, toolList.current);
    const open: ToolPlace["open"] = (room) => createPool({ ...options, ...room });
    await serveBridge({ toolList, isLive: options.follow, open }, options, version);
  } catch (error) {
    logLine(`hawser: ${describeThrown(error)}`);
    process.exitCode = 2;
  }
}

/** What `--check` does: everything that a first call needs, without a call. */
async function check({ socketPath }: BridgeOptions, { count }: ClientTools): Promise<void> {
  const deadline = new AbortController();
  const late = new HawserError("timeout", `the program at ${socketPath} does not answer`);
  const timer = setTimeout(() => deadline.abort(late), wireLimits.connectTimeoutMs);
  try {
    const connection = await connectToParent({ socketPath, saysHello: true, client: { name: "bridge --check" }, signal: deadline.signal });
    connection.close();
  } finally {
    clearTimeout(timer);
  }
  logLine(`ok: ${count} ${count === 1 ? "tool" : "tools"}, the program at ${socketPath} answers`);
}

/** The MCP server on stdin and stdout. Owns the process until the client closes its input. */
export function serveBridge(place: ToolPlace, options: Parameters<typeof createFitResult>[0], version: string): Promise<never> {
  const { toolList, isLive } = place;
  const serverInfo = { name: "hawser", version };
  const capabilities = { tools: isLive ? { listChanged: true } : {}, logging: {} };
  return runStdio({
    codec: clientLines,
    gathersTurn: true,
    eofGraceMs: bridgeLimits.bridgeEofGraceMs,
    async serve(transport, lifecycle) {
      const { stopping, cancelling } = lifecycle;
      const requests = createClientRequests(transport, stopping);
      const pool = place.open({ stopping, whenRoom: requests.whenRoom });
      const fitResult = createFitResult(options);
      const calls = createCalls({ requests, toolList, pool, fitResult, serverInfo, cancelling });
      const handle = serveStdio(() => prepareServer(new Server(serverInfo, { capabilities }), toolList, calls), {
        transport: createMcpTransport({ transport, requests, calls }),
        onerror: (error) => logLine(`[hawser] ${error.message}`),
      });
      await untilFinished(requests.finished, lifecycle);
      toolList.close();
      calls.close();
      await handle.close();
      pool.close();
    },
  });
}

function prepareServer(server: Server, toolList: ToolList, calls: Calls): Server {
  calls.useServer(server);
  // It fails only for a client that has not said yet that it is there, and will ask for the list anyway.
  toolList.watch(() => void server.sendToolListChanged().catch(() => {}));
  server.oninitialized = () => calls.noteInitialized(server);
  server.setRequestHandler("tools/list", ({ params }) => {
    toolList.refresh();
    const { pages } = toolList.current;
    const page = Number(params?.cursor ?? 0);
    const tools = pages[page];
    if (!tools) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "there is no such cursor; list the tools from the beginning");
    return { tools: [...tools], ...(page + 1 < pages.length && { nextCursor: String(page + 1) }) };
  });
  server.setRequestHandler("tools/call", ({ params }, context) => calls.callThroughLibrary(server, params, context));
  return server;
}

/** Until every request was answered, or the process is told to cancel what still runs. */
async function untilFinished(finished: Promise<void>, { cancelling }: Lifecycle): Promise<void> {
  const gone = new Promise<void>((resolve) =>
    cancelling.addEventListener("abort", () => setTimeout(resolve, wireLimits.cancelGraceMs / 2), { once: true }),
  );
  await Promise.race([finished, gone]);
}
