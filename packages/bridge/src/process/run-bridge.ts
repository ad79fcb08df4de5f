// The bridge process: a stdio MCP server whose tools live in another program. It reads its schema
// file once (with `--follow` again when it changes), answers `tools/list` from memory, connects only when a tool is
// called, and stays useful when the program behind it is gone.

import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describeThrown, HawserError, limits } from "@hawser/wire";
import { logLine, runStdio, type Lifecycle } from "@hawser/wire/node";
import { bridgeUsage, parseBridgeOptions, type BridgeOptions } from "./bridge-options.ts";
import { fromServerContext } from "./call-context.ts";
import { clientLines } from "./client-lines.ts";
import type { ClientTools } from "./client-tools.ts";
import { connectToParent } from "./connection.ts";
import { createMcpTransport } from "./mcp-transport.ts";
import { createPool } from "./pool.ts";
import { createRelay, type Relay } from "./relay.ts";
import { createShortCalls, type ShortCalls } from "./short-calls.ts";
import { createSpill } from "./spill.ts";
import { createToolList, type ToolList } from "./tool-list.ts";

export async function runBridge(args: readonly string[], version: string): Promise<void> {
  if (args.includes("--help")) {
    printUsage();
    return;
  }
  let options: BridgeOptions;
  try {
    options = parseBridgeOptions(args);
  } catch (error) {
    logLine(`hawser: ${describeThrown(error)}\n\n${bridgeUsage.trimEnd()}`);
    process.exitCode = 1;
    return;
  }
  try {
    const toolList = createToolList(options);
    if (options.check) return await check(options, toolList.current);
    await serve(options, toolList, version);
  } catch (error) {
    logLine(`hawser: ${describeThrown(error)}`);
    process.exitCode = 2;
  }
}

function printUsage(): void {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that has gone needs nothing more.
    if (code === "EPIPE") return;
    logLine(`hawser: can't write the output: ${message}`);
    process.exitCode = 1;
  });
  process.stdout.write(bridgeUsage);
}

/** What `--check` does: everything that a first call needs, without a call. */
async function check({ socketPath }: BridgeOptions, { count }: ClientTools): Promise<void> {
  const deadline = new AbortController();
  const late = new HawserError("timeout", `the program at ${socketPath} does not answer`);
  const timer = setTimeout(() => deadline.abort(late), limits.connectTimeoutMs);
  try {
    const connection = await connectToParent({ socketPath, saysHello: true, client: { name: "bridge --check" }, signal: deadline.signal });
    connection.close();
  } finally {
    clearTimeout(timer);
  }
  logLine(`ok: ${count} tools, the program at ${socketPath} answers`);
}

function serve(options: BridgeOptions, toolList: ToolList, version: string): Promise<never> {
  return runStdio({
    codec: clientLines,
    eofGraceMs: limits.bridgeEofGraceMs,
    async serve(transport, lifecycle) {
      const mcp = createMcpTransport(transport, lifecycle.stopping);
      let server: Server | undefined;
      const pool = createPool({ ...options, stopping: lifecycle.stopping, whenRoom: mcp.whenRoom });
      const spill = createSpill(options);
      const relay = createRelay({
        toolList,
        pool,
        spill,
        cancelling: lifecycle.cancelling,
        initializedClient: () => server?.getClientVersion(),
      });
      const serverInfo = { name: "hawser", version };
      const shortCalls = createShortCalls({ relay, serverInfo, server: () => server, send: (message) => mcp.send(message) });
      mcp.shortCalls = shortCalls;
      const handle = serveStdio(() => (server = createServer({ serverInfo, toolList, follow: options.follow, relay, shortCalls })), {
        transport: mcp,
        onerror: (error) => logLine(`[hawser] ${error.message}`),
      });
      // It fails only for a client that has not said yet that it is there, and will ask for the list anyway.
      const stopWatching = toolList.watch(() => void server?.sendToolListChanged().catch(() => {}));
      await untilFinished(mcp.finished, lifecycle);
      stopWatching();
      shortCalls.close();
      await handle.close();
      pool.close();
    },
  });
}

interface ServerParts {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly toolList: ToolList;
  readonly follow: boolean;
  readonly relay: Relay;
  readonly shortCalls: ShortCalls;
}

function createServer({ serverInfo, toolList, follow, relay, shortCalls }: ServerParts): Server {
  const server = new Server(serverInfo, { capabilities: { tools: follow ? { listChanged: true } : {}, logging: {} } });
  server.oninitialized = () => shortCalls.learn(server);
  server.setRequestHandler("tools/list", ({ params }) => {
    toolList.refresh();
    const { pages } = toolList.current;
    const page = Number(params?.cursor ?? 0);
    const tools = pages[page];
    if (!tools) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "there is no such cursor; list the tools from the beginning");
    return { tools: [...tools], ...(page + 1 < pages.length && { nextCursor: String(page + 1) }) };
  });
  server.setRequestHandler("tools/call", ({ params }, context) => {
    shortCalls.learn(server, context);
    return relay(params, fromServerContext(context));
  });
  return server;
}

/** The client gets its answers; one that is gone gets none. */
async function untilFinished(finished: Promise<void>, { cancelling }: Lifecycle): Promise<void> {
  const gone = new Promise<void>((resolve) =>
    cancelling.addEventListener("abort", () => setTimeout(resolve, limits.cancelGraceMs / 2), { once: true }),
  );
  await Promise.race([finished, gone]);
}
