// A link to a runtime that is a child process. One that ends without being asked to is started again, after
// a wait that grows, until it has ended too often in too short a time. Nothing is sent twice: what a runtime
// was asked is lost with it. When the link is closed its process is gone.

import { agentHostLimits } from "./limits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { describeThrown, HawserError, toHawserError } from "@hawser/protocol";
import { JsonText, type Incoming } from "@hawser/wire/internal";
import { ndjson, startChild, type Child } from "@hawser/wire/node";
import type { AgentLink, LostRuntime, ParsedLine } from "./agent-link.ts";

export interface ProcessLinkOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  readonly restart: boolean;
  readonly readyMs: number;
  onStderr?(chunk: Buffer): void;
  /** Why a line is not even JSON, and its beginning, as the runtime wrote it. */
  onNoise(reason: string): void;
  /** It has ended and will be started again. */
  onRestart?(reason: HawserError): void;
}

export interface ProcessLink extends AgentLink {
  readonly pid: number | undefined;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

type LinkItem = ParsedLine | LostRuntime;
type Next = Promise<IteratorResult<LinkItem, undefined>>;

// By hand and not as a generator: tens of thousands of tokens a second pass through here.
export function createProcessLink(options: ProcessLinkOptions): ProcessLink {
  const { command, args, env, cwd, onStderr } = options;
  const closing = new AbortController();
  const crashes = createCrashCount();
  let starting: Promise<Child> | undefined;
  let life: Life | undefined;
  let isFirst = true;

  function next(): Next {
    return life ? life.lines.next().then(onRead) : begin();
  }

  function onRead(result: IteratorResult<Incoming>): IteratorResult<LinkItem, undefined> | Next {
    if (result.done || !life) return end();
    const { value: item } = result;
    if (item.kind === "refused") {
      // One that is ended may leave half a line.
      if (!closing.signal.aborted) options.onNoise(`${item.error.message}: ${item.head}`);
      return next();
    }
    if (!life.isReady && (item.value as { type?: unknown } | null)?.type === "ready") life.setReady();
    return result as IteratorYieldResult<ParsedLine>;
  }

  async function begin(): Next {
    if (!isFirst) await sleep(crashes.waitMs(), undefined, { signal: closing.signal });
    closing.signal.throwIfAborted();
    // Whatever it has started ends with it, and a Ctrl-C on our terminal is ours to understand.
    const owned = { ownsGroup: true, stopSignalMs: agentHostLimits.hostStopMs };
    starting = startChild({ command, args, env, cwd, codec: ndjson, ...owned, ...(onStderr && { onStderr }) });
    let child: Child;
    try {
      child = await starting;
    } catch (error) {
      return goOn(toHawserError(error, "start_failed"), false);
    }
    life = createLife(child, options);
    if (closing.signal.aborted) await child.stop();
    return next();
  }

  /** The process has ended, or its output has. */
  async function end(): Next {
    const ended = life as Life;
    life = undefined;
    return goOn(await ended.end(), ended.isReady);
  }

  function goOn(reason: HawserError, wasReady: boolean): IteratorResult<LinkItem, undefined> {
    // A program that never ran well is a wrong command; starting it again wouldn't help.
    if (closing.signal.aborted || !options.restart || (isFirst && !wasReady)) throw reason;
    isFirst = false;
    crashes.note(reason);
    options.onRestart?.(reason);
    return { done: false, value: { lost: reason } };
  }

  return {
    get pid() {
      return life?.child.pid;
    },
    incoming: { [Symbol.asyncIterator]: () => ({ next }) },
    send(line) {
      if (!life) throw new HawserError("connection_lost", "the agent has ended; it is being started again");
      return life.child.transport.send(new JsonText(line));
    },
    close: () => closing.abort(new HawserError("closed", "the agent client was closed")),
    async stop() {
      closing.abort(new HawserError("closed", "the agent client was closed"));
      const child = await starting?.catch(() => undefined);
      await child?.stop();
    },
  };
}

type Life = ReturnType<typeof createLife>;

/** One process, from its start to its end. */
function createLife(child: Child, { command, readyMs }: ProcessLinkOptions) {
  let isReady = false;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.stop();
  }, readyMs);
  return {
    child,
    lines: child.transport.incoming[Symbol.asyncIterator](),
    get isReady(): boolean {
      return isReady;
    },
    setReady(): void {
      isReady = true;
      clearTimeout(timer);
    },
    /** Makes sure that it is gone; resolves to why. */
    async end(): Promise<HawserError> {
      clearTimeout(timer);
      await child.stop();
      const exit = await child.exited;
      if (isLate)
        return new HawserError("start_failed", `${command} did not say \`ready\` within ${readyMs} ms; it was stopped`, {
          facts: { command },
        });
      const how = describeThrown(exit.signal ?? `exit code ${exit.code}`);
      const facts = { command, ...exit };
      if (!isReady) return new HawserError("start_failed", `${command} ended (${how}) before it said \`ready\``, { facts });
      return new HawserError("connection_lost", `the agent ended (${how}); what it was asked is lost, and not repeated`, { facts });
    },
  };
}

function createCrashCount() {
  const { hostCrashWindowMs, hostCrashEntries, hostRestartMs } = agentHostLimits;
  let times: number[] = [];
  return {
    /** Throws when it was one too many. */
    note(cause: HawserError): void {
      const now = performance.now();
      times = [...times.filter((time) => now - time < hostCrashWindowMs), now];
      if (times.length < hostCrashEntries) return;
      const often = `${times.length} times within ${hostCrashWindowMs / 60_000} minutes`;
      const message = `the agent ended ${often} and is not started again; the last time: ${cause.message}`;
      throw new HawserError("start_failed", message, { cause, facts: { crashes: times.length } });
    },
    waitMs: (): number => hostRestartMs * 2 ** (times.length - 1),
  };
}
