// A session offers a set of tools to bridge processes: a socket, a schema file beside it, and the configuration that makes any MCP
// client start a bridge. It is created, started and stopped once, and leaves nothing behind.

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BridgeStartupError, describeThrown, HawserError } from "@hawser/protocol/internal";
import { wireLimits } from "@hawser/wire";
import {
  createSessionFiles,
  createSessionNames,
  createStreamTransport,
  lengthPrefix,
  listenSocket,
  logLine,
  makeFolder,
  userFolder,
  type Listener,
  type SessionFiles,
  type SessionNames,
} from "@hawser/wire/internal/node";
import { toTools, type ToolSource } from "@hawser/tools/internal";
import { toBridgeArguments } from "../contract/bridge-options.ts";
import { isClientName, maxNameLength, toClientTools } from "../contract/client-tools.ts";
import type { ToolHandler } from "../contract/contract.ts";
import { serveConnection } from "./serve-connection.ts";
import { createSessionRoom } from "./session-room.ts";
import { createContractTools, toToolHandlers, type ContractToolsOptions } from "./contract-tools.ts";

export interface McpStdioServerConfig {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface IPCSessionOptions extends ContractToolsOptions {
  /** Starts the bridge: a program and its first arguments; the two paths are added. Default: this Node and the bundled bridge; from the sources, theirs. */
  readonly bridgeCommand?: readonly [string, ...string[]];
  /** Where the files lie; unless given, the system's temporary folder, and with a name the user's folder for state. */
  readonly directory?: string;
  /**
   * An address that survives a restart of the program: clients keep one configuration, and are told when the tools change.
   * Letters, digits, `_` and `-`. One running program at a time has the name.
   */
  readonly name?: string;
  readonly frameDeadlineMs?: number;
  readonly maxConnections?: number;
  /** How many calls one bridge carries at the same time: its `--connections`. 8 unless given. */
  readonly connections?: number | undefined;
  /** After a lost connection the next call opens a new one (`lazy`), or all calls fail: the bridge's `--reconnect`. `lazy` unless given. */
  readonly reconnect?: "lazy" | "never" | undefined;
  /** False: a program that has nothing else to do ends, although the session is open. */
  readonly keepsAlive?: boolean;
}

export type IPCSessionState = "created" | "started" | "stopped";

export interface IPCSession extends AsyncDisposable {
  readonly state: IPCSessionState;
  readonly socketPath: string;
  readonly schemaPath: string;
  /** Only this user can enter it. Exists from `start` to `stop`, and is removed with its contents. */
  readonly privateDirectory: string;
  /** The functions by the names of their tools, checked and run as for a client: the contract's `tool_handlers`. */
  readonly toolHandlers: Readonly<Record<string, ToolHandler>>;
  /** For any MCP client. Works from `start` to `stop`; with a name, whenever the program runs. */
  readonly mcpServerConfig: McpStdioServerConfig;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createIPCSession(source: ToolSource, options: IPCSessionOptions = {}): IPCSession {
  const tools = createContractTools(toTools(source), options);
  const names = chooseNames(options);
  const { socketPath, schemaPath } = names.fixed ?? names;
  const bridgeArguments = toBridgeArguments({ ...options, follow: names.fixed !== undefined });
  const room = createSessionRoom();
  const stopped = new AbortController();
  const serving = new Set<Promise<void>>();
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let files: SessionFiles | undefined;
  let listener: Listener | undefined;

  async function open(): Promise<void> {
    try {
      if (names.fixed) await makeFolder(names.directory);
      files = createSessionFiles(names);
      files.publishSchema(JSON.stringify(tools.schemas));
      // The bridge logs it too, but the client reads the bridge's stderr, not the author of the tools.
      for (const omission of toClientTools(tools.schemas).omissions) logLine(`[hawser] ${omission}`);
      listener = await listenSocket({
        files,
        maxConnections: options.maxConnections,
        keepsAlive: options.keepsAlive,
        refusal: lengthPrefix.encode({
          error: { message: "this program has too many connections open; try again", type: "IPCConnectionError" },
        }),
        onConnection(socket) {
          const transport = createStreamTransport({
            readable: socket,
            writable: socket,
            codec: lengthPrefix,
            budget: room.budget,
            frameDeadlineMs: options.frameDeadlineMs ?? wireLimits.frameDeadlineMs,
          });
          const work = serveConnection(transport, { tools, room, privateDirectory: names.privateDirectory, signal: stopped.signal });
          serving.add(work);
          void work.finally(() => serving.delete(work));
        },
      });
    } catch (error) {
      files?.remove();
      throw toStartError(error, dirname(names.socketPath));
    }
  }

  async function start(): Promise<void> {
    if (session.state === "stopped") throw new HawserError("usage", "this session has stopped; create a new one");
    starting ??= open().then(
      () => {
        if (session.state === "created") session.state = "started";
      },
      (error: unknown) => {
        session.state = "stopped";
        throw error;
      },
    );
    await starting;
    if (stopping) throw new HawserError("cancelled", "the session was stopped while it started");
  }

  async function stop(): Promise<void> {
    session.state = "stopped";
    await starting?.catch(() => {});
    files?.remove();
    stopped.abort(new HawserError("cancelled", "the session was stopped; start the program that offers the tools again"));
    const served = Promise.all(serving);
    // A client that does not read its last answer must not keep the session from ending.
    const timer = setTimeout(() => void listener?.close(), wireLimits.closeFlushMs);
    await served;
    clearTimeout(timer);
    await listener?.close();
  }

  // `state` is a plain member: an object with a getter stays until a full collection (decision 0031).
  const session: IPCSession & { state: IPCSessionState } = {
    state: "created",
    socketPath,
    schemaPath,
    privateDirectory: names.privateDirectory,
    toolHandlers: toToolHandlers(tools, stopped.signal),
    mcpServerConfig: createServerConfig([...bridgeArguments, socketPath, schemaPath], options),
    start,
    stop: () => (stopping ??= stop()),
    [Symbol.asyncDispose]: () => session.stop(),
  };
  return session;
}

function chooseNames({ directory, name }: IPCSessionOptions): SessionNames {
  const directories = directory === undefined ? undefined : [resolve(directory)];
  if (name === undefined) return createSessionNames(directories && { directories });
  if (!isClientName(name))
    throw new HawserError("usage", `the name of a session has letters, digits, _ and -, at most ${maxNameLength}; not "${name}"`);
  // Any user can create a named pipe first, and a client can't tell whose it is.
  if (process.platform === "win32") throw new HawserError("usage", "on Windows a session has no fixed name; leave it out");
  // Where no other user makes files, and not below TMPDIR, which may differ in the next run.
  return createSessionNames({ directories: directories ?? [join(userFolder("state", process.env), "hawser")], name });
}

/** The system's refusal, with the folder it was about. */
function toStartError(error: unknown, directory: string): unknown {
  if (HawserError.isInstance(error)) return error;
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isMissing ? "there is no such directory; create it, or name another one" : describeThrown(error);
  return new BridgeStartupError(`can't put the session's files into ${directory}: ${reason}`, { cause: error, facts: { directory } });
}

// From the sources if this file is one: a bundle beside them may be older.
const bridgeCommandHere: readonly [string, ...string[]] = import.meta.url.endsWith(".ts")
  ? [process.execPath, "--conditions=hawser-source", fileURLToPath(new URL("../process/main.ts", import.meta.url))]
  : [process.execPath, fileURLToPath(new URL("../bridge.cjs", import.meta.url))];

function createServerConfig(bridgeArgs: readonly string[], { bridgeCommand }: IPCSessionOptions): McpStdioServerConfig {
  const [command, ...args] = bridgeCommand ?? bridgeCommandHere;
  return {
    type: "stdio",
    command,
    args: [...args, ...bridgeArgs],
    // Inside Electron, execPath is the app; this makes it behave as Node.
    ...(process.versions["electron"] !== undefined && !bridgeCommand && { env: { ELECTRON_RUN_AS_NODE: "1" } }),
  };
}
