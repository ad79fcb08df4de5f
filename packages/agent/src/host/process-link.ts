// A link to a runtime that is a child process. One that ends without being asked to is started again, after
// a wait that grows, until it has ended too often in too short a time. Nothing is sent twice: what a runtime
// was asked is lost with it. When the link is closed its process is gone.

import { setTimeout as sleep } from "node:timers/promises";
import { describeThrown, HawserError, JsonText, limits, toHawserError } from "@hawser/wire";
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
  /** A line that is not even JSON. */
  onNoise(reason: string): void;
  /** It has ended and will be started again. */
  onRestart?(reason: HawserError): void;
}

export interface ProcessLink extends AgentLink {
  readonly pid: number | undefined;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

export function createProcessLink(options: ProcessLinkOptions): ProcessLink {
  const closing = new AbortController();
  const crashes = createCrashCount();
  let current: Child | undefined;
  let starting: Promise<Child> | undefined;

  async function* incoming(): AsyncGenerator<ParsedLine | LostRuntime> {
    for (let isFirst = true; ; isFirst = false) {
      const life = { isReady: false };
      const reason = yield* liveOnce(life);
      if (closing.signal.aborted || !options.restart) throw reason;
      // A program that never ran well is a mistake of whoever named it.
      if (isFirst && !life.isReady) throw reason;
      crashes.note(reason);
      yield { lost: reason };
      options.onRestart?.(reason);
      await sleep(crashes.waitMs(), undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) throw reason;
    }
  }

  /** From the start of one process to its end; returns why it ended. */
  async function* liveOnce(life: { isReady: boolean }): AsyncGenerator<ParsedLine, HawserError> {
    let child: Child;
    try {
      child = await start();
    } catch (error) {
      return toHawserError(error, "start_failed");
    }
    const late = AbortSignal.timeout(options.readyMs);
    const onLate = (): void => void (life.isReady || child.stop());
    late.addEventListener("abort", onLate);
    try {
      for await (const item of child.transport.incoming) {
        if (item.kind === "refused") {
          options.onNoise(`${item.error.message}: ${item.head.slice(0, shownNoiseChars)}`);
          continue;
        }
        life.isReady ||= (item.value as { type?: unknown } | null)?.type === "ready";
        yield { value: item.value, chars: item.text.length };
      }
    } finally {
      late.removeEventListener("abort", onLate);
      current = undefined;
      void child.stop();
    }
    await child.stop();
    if (!life.isReady && late.aborted) return notReady(options);
    return whyEnded(await child.exited, life.isReady, options);
  }

  async function start(): Promise<Child> {
    const { command, args, env, cwd, onStderr } = options;
    closing.signal.throwIfAborted();
    starting = startChild({
      command,
      args,
      env,
      cwd,
      codec: ndjson,
      // Whatever it has started ends with it, and a Ctrl-C on our terminal is ours to understand.
      ownsGroup: true,
      stopSignalMs: limits.hostStopMs,
      ...(onStderr && { onStderr }),
    });
    current = await starting;
    if (closing.signal.aborted) await current.stop();
    return current;
  }

  return {
    get pid() {
      return current?.pid;
    },
    incoming: { [Symbol.asyncIterator]: incoming },
    send(line) {
      if (!current) throw new HawserError("connection_lost", "the agent has ended; it is being started again");
      return current.transport.send(new JsonText(line));
    },
    close: () => closing.abort(new HawserError("closed", "the agent client was closed")),
    async stop() {
      closing.abort(new HawserError("closed", "the agent client was closed"));
      const child = await starting?.catch(() => undefined);
      await child?.stop();
    },
  };
}

const shownNoiseChars = 200;

interface CrashCount {
  /** Throws when it was one too many. */
  note(reason: HawserError): void;
  waitMs(): number;
}

function createCrashCount(): CrashCount {
  let times: number[] = [];
  return {
    note(reason) {
      const now = performance.now();
      times = [...times.filter((time) => now - time < limits.hostCrashWindowMs), now];
      if (times.length < limits.hostCrashEntries) return;
      const minutes = limits.hostCrashWindowMs / 60_000;
      throw new HawserError(
        "start_failed",
        `the agent ended ${times.length} times within ${minutes} minutes and is not started again; the last time: ${reason.message}`,
        { cause: reason, facts: { crashes: times.length } },
      );
    },
    waitMs: () => limits.hostRestartMs * 2 ** (times.length - 1),
  };
}

function notReady({ command, readyMs }: ProcessLinkOptions): HawserError {
  return new HawserError("start_failed", `${command} did not say \`ready\` within ${readyMs} ms; it was stopped`, { facts: { command } });
}

function whyEnded(exit: Awaited<Child["exited"]>, wasReady: boolean, { command }: ProcessLinkOptions): HawserError {
  const how = describeThrown(exit.signal ?? `exit code ${exit.code}`);
  const facts = { command, ...exit };
  if (!wasReady) return new HawserError("start_failed", `${command} ended (${how}) before it said \`ready\``, { facts });
  return new HawserError("connection_lost", `the agent ended (${how}); what it was asked is lost, and not repeated`, { facts });
}
