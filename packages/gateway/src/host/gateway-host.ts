// A host's side of igw-rpc-v1: makes calls through one rpc process, no more at a time than it has places for. When that ends,
// calls under way are rejected and never repeated, and the next call starts a new one. Where none can be started, each call
// is a process of its own.

import { gatewayLimits } from "../limits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError, toHawserError, type CallItem, type HelloData } from "@hawser/protocol";
import { createSemaphore, untilAborted } from "@hawser/wire/internal";
import { hawserCommand } from "@hawser/wire/internal/node";
import { hasFeature, INCOMPATIBLE } from "./handshake.ts";
import { callOnce } from "./one-shot.ts";
import { openRpcConnection, type ConnectionOptions, type HostCallOptions, type HostOutcome, type RpcConnection } from "./rpc-connection.ts";

export interface GatewayHostOptions extends Pick<ConnectionOptions, "env" | "cwd" | "requiredFeatures" | "handshakeMs" | "onStderr"> {
  /** The program and its first arguments; unless given, the `hawser` that is installed beside this package, or else the one on the PATH. */
  readonly command?: readonly string[] | undefined;
  /** Flags for `rpc` and for `call` alike: `--profile`, `--gateway-url`, `--api-key-file`, `--spec-file`. */
  readonly args?: readonly string[] | undefined;
  readonly workers?: number | undefined;
  readonly queueSize?: number | undefined;
  /** The program for single calls where rpc can't be started: the same unless given, none if false. */
  readonly fallback?: readonly string[] | false | undefined;
}

export interface GatewayHost extends AsyncDisposable {
  readonly mode: "rpc" | "one-shot";
  /** Why there is no rpc process, in mode `one-shot`. */
  readonly fallbackReason: HawserError | undefined;
  /** What the present or the last rpc process said about itself. */
  readonly hello: HelloData | undefined;
  supports(feature: string): boolean;
  /**
   * Resolves to how the call ended, well or not. Rejects when no answer came: `cancelled`, `timeout`,
   * `connection_lost` (the call may have been made), `closed`.
   */
  call(item: CallItem, options?: HostCallOptions): Promise<HostOutcome>;
  /** Makes the process read its configuration anew. */
  reloadConfig(options?: HostCallOptions): Promise<void>;
  /** Ends the process; waiting calls are rejected with `closed`. */
  stop(): Promise<void>;
}

/** Rejects with `start_failed` when the server does not fit, or can't be started and there is no fallback. */
export async function startGatewayHost(options: GatewayHostOptions = {}): Promise<GatewayHost> {
  const { workers = 1, queueSize = 64 } = options;
  const closing = new AbortController();
  const openNext = createOpener(options, closing.signal);
  let connection: RpcConnection | undefined;
  let opening: Promise<RpcConnection | undefined> | undefined;
  let fallbackReason: HawserError | undefined;
  const slots = createSemaphore(() => (fallbackReason ? workers : workers + queueSize));

  async function open(): Promise<RpcConnection | undefined> {
    try {
      connection = await openNext(connection);
      return connection;
    } catch (error) {
      const reason = toHawserError(error);
      if (closing.signal.aborted || options.fallback === false || reason.facts["reason"] === INCOMPATIBLE) throw reason;
      fallbackReason = reason;
      return undefined;
    }
  }

  // Undefined where calls are made one by one instead.
  function connected(): Promise<RpcConnection | undefined> | RpcConnection | undefined {
    if (fallbackReason) return undefined;
    if (connection && !connection.isEnded) return connection;
    opening ??= open().finally(() => (opening = undefined));
    return opening;
  }

  async function call(item: CallItem, callOptions: HostCallOptions = {}): Promise<HostOutcome> {
    const signal = callOptions.signal ? AbortSignal.any([callOptions.signal, closing.signal]) : closing.signal;
    try {
      return await slots.run(async () => {
        const server = await untilAborted(signal, Promise.resolve(connected()));
        if (!server) return callOnce(oneShotOptions(options), item, { ...callOptions, signal });
        // A server that does not know a member would pass over it, and make another call than was meant.
        if (item.params !== undefined && !hasFeature(server.hello.features, "params"))
          throw new HawserError("usage", `the rpc server (${server.hello.version}) has no params; give path, query and body`);
        return server.call(item, { ...callOptions, signal });
      }, signal);
    } catch (error) {
      if (closing.signal.aborted) throw closing.signal.reason;
      throw callOptions.signal?.aborted ? new HawserError("cancelled", "cancelled by the caller", { cause: error }) : error;
    }
  }

  async function stop(): Promise<void> {
    closing.abort(new HawserError("closed", "the gateway host was stopped"));
    await opening?.catch(() => {});
    await connection?.close(closing.signal.reason as HawserError);
  }

  const host: GatewayHost = {
    get mode() {
      return fallbackReason ? "one-shot" : "rpc";
    },
    get fallbackReason() {
      return fallbackReason;
    },
    get hello() {
      return connection?.hello;
    },
    supports: (feature) => !fallbackReason && hasFeature(connection?.hello.features ?? {}, feature),
    call,
    async reloadConfig(callOptions) {
      closing.signal.throwIfAborted();
      // A process that is not there reads it when it starts.
      if (!connection || connection.isEnded) return;
      if (!hasFeature(connection.hello.features, "reloadConfig"))
        throw new HawserError("usage", "the rpc server can't reload its configuration");
      const { ok, error } = await connection.request("reload_config", callOptions);
      if (!ok) throw new HawserError("usage", `the configuration was not reloaded: ${error ?? "no reason given"}`);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  await connected();
  return host;
}

/** Opens a connection, after a wait that grows while one after another ends without having answered a call. */
function createOpener(options: GatewayHostOptions, closing: AbortSignal): (before: RpcConnection | undefined) => Promise<RpcConnection> {
  const { command = hawserCommand(), args = [], workers = 1, queueSize = 64 } = options;
  const [program = "hawser", ...first] = command;
  const rpcArgs = [...first, "rpc", "--workers", String(workers), "--queue-size", String(queueSize), ...args];
  let failures = 0;
  return async (before) => {
    if (before) {
      failures = before.answered > 0 ? 0 : failures + 1;
      await sleep(Math.min(gatewayLimits.hostBackoffMs * 2 ** failures, gatewayLimits.hostMaxBackoffMs), undefined, { signal: closing });
    }
    const opened = await openRpcConnection({ ...options, command: program, args: rpcArgs });
    if (closing.aborted) await opened.close(closing.reason as HawserError);
    closing.throwIfAborted();
    return opened;
  };
}

function oneShotOptions(options: GatewayHostOptions): Parameters<typeof callOnce>[0] {
  const [program = "hawser", ...first] = (options.fallback || options.command) ?? hawserCommand();
  const { env, cwd, onStderr, args = [] } = options;
  return { command: program, args: [...first, "call", "--json", ...args], env, cwd, ...(onStderr && { onStderr }) };
}
