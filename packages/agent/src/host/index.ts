// The host client for programs that start the runtime themselves. They own it: it ends with them, and is
// started again when it ends before them.

import { agentHostLimits } from "./limits.ts";
import { createNoiseLog, cutText, HawserError } from "@hawser/protocol/internal";
import { hawserCommand, logLine } from "@hawser/wire/internal/node";
import { createAgentClient, type AgentClient, type AgentClientOptions } from "./agent-client.ts";
import { createProcessLink } from "./process-link.ts";

export { createAgentClient } from "./agent-client.ts";
export type * from "./link.ts";
export { createProcessLink } from "./process-link.ts";
export type { ProcessLink, ProcessLinkOptions } from "./process-link.ts";

export interface SpawnAgentOptions extends Pick<AgentClientOptions, "idleMs" | "totalMs" | "onPermission"> {
  /** The program; unless given, the `hawser` that is installed beside this package, or else the one on the PATH. */
  readonly command?: string | undefined;
  /** Its arguments; `["agent"]` unless given. */
  readonly args?: readonly string[] | undefined;
  /** The runtimes of a fleet answer, instead of one that is started here: its servers, e.g. `nats://127.0.0.1:4222`. */
  readonly fleet?: string | FleetServers | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** False: a runtime that ends stays ended. */
  readonly restart?: boolean | undefined;
  readonly readyMs?: number | undefined;
  /** `[SEND]` and `[RECV]` lines on stderr, without contents; HAWSER_DEBUG=protocol prints those too. */
  readonly debug?: boolean | undefined;
  /** What the runtime writes to stderr; goes to our own unless given. */
  onStderr?(chunk: Buffer): void;
  /** It has ended and will be started again; what it was asked has been rejected. */
  onRestart?(reason: HawserError): void;
}

export interface FleetServers {
  readonly servers: string;
  /** A file with NATS credentials, or one line `user:password`; only its owner may read it. */
  readonly credentials?: string | undefined;
  /** Files in PEM: who signs the servers' certificates, and who we are. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface SpawnedAgent extends AgentClient, AsyncDisposable {
  /** Of the present process; undefined between two. */
  readonly pid: number | undefined;
  /** Ends what runs and the process; resolves when it is gone. */
  close(): Promise<void>;
}

/** Starts the runtime and waits until it is ready; rejects with `start_failed`, and leaves nothing running then. */
export async function spawnAgent(options: SpawnAgentOptions = {}): Promise<SpawnedAgent> {
  if (options.fleet !== undefined && options.args !== undefined)
    throw new HawserError(
      "usage",
      "with `fleet` the agent is another program, which has its own arguments; leave out one of `fleet` and `args`",
    );
  const {
    fleet,
    args = fleet === undefined ? ["agent"] : toFleetArguments(fleet),
    restart = true,
    readyMs = agentHostLimits.hostReadyMs,
    idleMs,
    totalMs,
    onPermission,
  } = options;
  const onNoise = createNoiseLog((words) => logLine(`[hawser] the agent: ${words}`));
  const [command, ...first] = options.command === undefined ? hawserCommand() : [options.command];
  const link = createProcessLink({ ...options, command, args: [...first, ...args], restart, readyMs, onNoise });
  const client = createAgentClient(link, { idleMs, totalMs, onPermission, onNoise, ...(options.debug && { onMessage: logMessage }) });

  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    await client.close();
    await link.stop();
  }
  const close = (): Promise<void> => (closing ??= closeAll());

  await client.ready.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  // Its getters are to be asked anew each time.
  const members = Object.getOwnPropertyDescriptors(client);
  const pid: PropertyDescriptor = { get: () => link.pid, enumerable: true };
  return Object.defineProperties({}, { ...members, pid, close: { value: close }, [Symbol.asyncDispose]: { value: close } }) as SpawnedAgent;
}

function toFleetArguments(fleet: string | FleetServers): string[] {
  const { servers, credentials, ca, cert, key } = typeof fleet === "string" ? { servers: fleet } : fleet;
  const files = Object.entries({ credentials, ca, cert, key }).flatMap(([name, path]) =>
    path === undefined ? [] : [`--fleet-${name}=${path}`],
  );
  return ["fleet", "host", `--fleet=${servers}`, ...files];
}

function logMessage(direction: "SEND" | "RECV", { type, kind, id }: Readonly<Record<string, unknown>>): void {
  const words = [type ?? kind, id].filter((word) => typeof word === "string").map((word) => toOneLine(word));
  logLine(`[${direction}] ${words.join(" ")}`);
}

const maxShownChars = 300;

// The runtime chose these words: neither a line feed nor a megabyte of them may get into the log.
const toOneLine = (text: string): string => JSON.stringify(cutText(text, maxShownChars)).slice(1, -1);
