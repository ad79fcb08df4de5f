// The command line's process, started for the Agent SDK but owned by us: in a group of its own, which does
// not outlive a request, whatever the SDK or the process itself do. Its stderr is kept, the end of it, since
// that is where a process that dies says why.

import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { limits } from "@hawser/wire";
import { startChild, type ChildExit, type PipedChild } from "@hawser/wire/node";
import type { SpawnedProcess, SpawnRequest } from "./agent-sdk.ts";

export interface CliProcess {
  readonly spawned: SpawnedProcess;
  readonly pid: number | undefined;
  /** The last of what it wrote to stderr. */
  readonly stderr: string;
  /** How it ended; undefined while it runs. */
  readonly exit: ChildExit | undefined;
  /** Resolves when it has ended, or could not be started. */
  readonly gone: Promise<unknown>;
  /** Why it could not be started. */
  readonly startError: Error | undefined;
  /** Whether this process, with nothing else to do, goes on because of it. */
  setKeepsAlive(keepsAlive: boolean): void;
  /** Resolves when the whole group is gone. Without patience, it is not first given time to end by itself. */
  end(isPatient: boolean): Promise<void>;
}

export function startCliProcess({ command, args, cwd, env }: SpawnRequest): CliProcess {
  const events = new EventEmitter();
  // What nobody listens to must not end our process.
  events.on("error", () => {});
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let child: PipedChild | undefined;
  let exit: ChildExit | undefined;
  let startError: Error | undefined;
  let isKilled = false;
  let stderr = "";

  const onStderr = (chunk: Buffer): void => {
    stderr = (stderr + chunk.toString("utf8")).slice(-limits.maxErrorTextChars);
  };
  const starting = startChild({ stdio: "pipe", command, args, cwd, env, ownsGroup: true, onStderr }).then(attach, (error: Error) => {
    startError = error;
    stdout.end();
    events.emit("error", error);
    return undefined;
  });

  function attach(started: PipedChild): PipedChild {
    child = started;
    stdin.pipe(started.stdin);
    started.stdout.pipe(stdout);
    // Stopping drops the pipe without an end.
    started.stdout.once("close", () => stdout.end());
    void started.exited.then((ended) => {
      exit = ended;
      stdin.destroy();
      events.emit("exit", ended.code, ended.signal);
    });
    return started;
  }

  const spawned: SpawnedProcess = {
    stdin,
    stdout,
    get killed() {
      return isKilled;
    },
    get exitCode() {
      return exit?.code ?? null;
    },
    get signalCode() {
      return exit?.signal ?? null;
    },
    kill(signal) {
      isKilled = true;
      void starting.then(() => child?.kill(signal));
      return exit === undefined;
    },
    on: (event, listener) => void events.on(event, listener as () => void),
    once: (event, listener) => void events.once(event, listener as () => void),
    off: (event, listener) => void events.off(event, listener as () => void),
  };

  return {
    spawned,
    get pid() {
      return child?.pid;
    },
    get stderr() {
      return stderr;
    },
    get exit() {
      return exit;
    },
    gone: starting.then((started) => started?.exited),
    get startError() {
      return startError;
    },
    setKeepsAlive: (keepsAlive) => child?.setKeepsAlive(keepsAlive),
    async end(isPatient) {
      await starting;
      if (!isPatient) child?.kill("SIGTERM");
      await child?.stop();
    },
  };
}
