// One run of the command line, from its tools to the last of its processes. In this order, by contract: the
// tools are prepared, started, the query runs, and all of it is stopped, whatever happened. The first cause
// of an end wins: an abort, a timeout, an interrupt, a tool that may not fail, or the command line itself.
// A run that has such a cause stops by itself, with or without a waiter.

import { setTimeout as pause } from "node:timers/promises";
import { BridgeStartupError, cutText, describeThrown, HawserError, protocolLimits } from "@hawser/protocol/internal";
import { loadAgentSdk, type SdkMessage, type AgentQuery, type SpawnRequest } from "./agent-sdk.ts";
import { startCliProcess, type CliProcess } from "./cli-process.ts";
import { CLIExecutionError } from "./errors.ts";
import { findCli } from "./find-cli.ts";
import { toQueryPrompt, type PreparedPrompt } from "./prompt.ts";
import { toQueryOptions, type RunRequest } from "./query-options.ts";
import { createRunEnding, type RunEnding, type RunGuard } from "./run-ending.ts";
import { createEndpoint, type ToolEndpoint } from "./toolset.ts";

export interface CliRunRequest extends RunRequest {
  readonly prompt: PreparedPrompt;
  /** From the first moment on. */
  readonly guard: RunGuard;
  /** False for a run that may be left waiting for its tools; see `setKeepsAlive`. */
  readonly keepsAlive?: boolean | undefined;
}

export interface CliRun {
  /** The next message; undefined at the end. Throws what ended the run. */
  next(): Promise<SdkMessage | undefined>;
  /** Ends the run with this error, unless it has ended already. */
  fail(error: Error): void;
  readonly guard: RunEnding["guard"];
  /** Something has ended the run; it may still be there for a moment. */
  isEnding(): boolean;
  /** Whether this process, with nothing else to do, goes on because of the run. It does unless told. */
  setKeepsAlive(keepsAlive: boolean): void;
  /** Resolves when the command line itself has ended, for whatever reason. */
  whenGone(): Promise<unknown>;
  /** Resolves when no process, socket or file of it is left. Idempotent. */
  close(): Promise<void>;
}

export async function openCliRun(request: CliRunRequest): Promise<CliRun> {
  const { options, selection, prompt, keepsAlive } = request;
  const ending = createRunEnding(options.interruptHandler);
  let endpoint: ToolEndpoint | undefined;
  let cli: CliProcess | undefined;
  let query: AgentQuery | undefined;
  let isFinished = false;
  let hasResult = false;
  let closing: Promise<void> | undefined;

  const spawnClaudeCodeProcess = (spawn: SpawnRequest): CliProcess["spawned"] => {
    cli = startCliProcess(spawn, ending.fail);
    return cli.spawned;
  };

  async function open(): Promise<AsyncIterator<SdkMessage>> {
    ending.check();
    const onToolError = options.toolErrors === "throw" ? ending.fail : undefined;
    endpoint = selection && createEndpoint(selection.toolset, { ...options, keepsAlive, onToolError });
    await endpoint?.start();
    const sdk = await loadAgentSdk();
    ending.check();
    query = sdk.query({
      prompt: toQueryPrompt(prompt),
      options: {
        ...toQueryOptions(request),
        mcpServers: endpoint?.mcpServers ?? {},
        pathToClaudeCodeExecutable: findCli(options),
        spawnClaudeCodeProcess,
        abortController: ending.controller,
      },
    });
    return query[Symbol.asyncIterator]();
  }

  async function pull(): Promise<SdkMessage | undefined> {
    try {
      const pulled = await ending.until(iterator.next());
      isFinished = pulled.done === true;
      if (pulled.done === true) return undefined;
      hasResult ||= pulled.value.type === "result";
      return pulled.value;
    } catch (thrown) {
      if (ending.cause) throw ending.cause;
      // A result that is an error says more than the exit code that comes with it.
      if (!hasResult) throw toRunError(thrown, cli);
      isFinished = true;
      return undefined;
    }
  }

  async function close(): Promise<void> {
    ending.release();
    if (!isFinished) {
      ending.controller.abort();
      query?.close();
    }
    await Promise.all([cli?.end(isFinished), endpoint?.stop()]);
  }
  const closeOnce = (): Promise<void> => (closing ??= close());

  ending.controller.signal.addEventListener("abort", () => void closeOnce().catch(() => {}));
  ending.guard(request.guard);
  const iterator = await open().catch(async (error: unknown) => {
    await closeOnce();
    throw ending.cause ?? error;
  });

  return {
    async next() {
      const message = await pull();
      if (message === undefined) return undefined;
      await ending.until(Promise.resolve(options.onMessage?.(message)));
      await checkServer(message, selection?.toolset.serverName, query);
      ending.check();
      return message;
    },
    fail: ending.fail,
    guard: ending.guard,
    isEnding: () => ending.cause !== undefined,
    whenGone: () => cli?.gone ?? Promise.resolve(),
    setKeepsAlive: (isKept) => cli?.setKeepsAlive(isKept),
    close: closeOnce,
  };
}

// Why a server has failed is worth a moment, not all the time of the request.
const statusMs = 1_000;

/** The first message says how our server came up. */
async function checkServer(
  { type, subtype, mcp_servers }: SdkMessage,
  name: string | undefined,
  query: AgentQuery | undefined,
): Promise<void> {
  if (type !== "system" || subtype !== "init" || name === undefined || !Array.isArray(mcp_servers)) return;
  const servers = mcp_servers as readonly { name?: unknown; status?: unknown }[];
  const { status } = servers.find((server) => server.name === name) ?? { status: "missing" };
  if (status === "connected" || status === "pending") return;
  const answered = query?.mcpServerStatus().catch(() => undefined);
  const details = await Promise.race([answered, pause(statusMs, undefined, { ref: false })]);
  const reason = details?.find((server) => server.name === name)?.error;
  const why = reason === undefined ? `it is ${String(status)}` : cutText(reason, protocolLimits.maxErrorTextChars);
  throw new BridgeStartupError(`Claude Code could not start the server "${name}" of the registered tools: ${why}`, {
    facts: { status, reason },
  });
}

function toRunError(thrown: unknown, cli: CliProcess | undefined): Error {
  if (HawserError.isInstance(thrown)) return thrown;
  const stderr = cli?.stderr().trim() ?? "";
  const said = stderr === "" ? "" : `; it wrote: ${stderr}`;
  if (cli?.startError) return new CLIExecutionError(cli.startError.message, { cause: thrown });
  if (!cli?.exit || cli.exit.code === 0)
    return new CLIExecutionError(`Claude Code failed: ${describeThrown(thrown)}${said}`, { cause: thrown });
  const { code, signal } = cli.exit;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return new CLIExecutionError(`Claude Code ended ${how} before it had answered${said}`, {
    cause: thrown,
    facts: { exitCode: code, signal, stderr },
  });
}
