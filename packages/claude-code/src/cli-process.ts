// The command line's process, started for the Agent SDK but owned by us: in a group of its own, which does
// not outlive a request, whatever the SDK or the process itself do. A line that never ends is not kept. The end
// of its stderr is, since that is where a process that dies says why; without the keys that it was given.

import { claudeCodeLimits } from "./limits.ts";
import { EventEmitter } from "node:events";
import { PassThrough, Transform } from "node:stream";
import { createNoiseLog, isRecord } from "@hawser/protocol/internal";
import { type Incoming } from "@hawser/wire";
import { createLastWords, logLine, ndjson, startChild, type ChildExit, type PipedChild } from "@hawser/wire/internal/node";
import type { SpawnedProcess, SpawnRequest } from "./agent-sdk.ts";
import { CLIResponseParseError } from "./errors.ts";

export interface CliProcess {
  readonly spawned: SpawnedProcess;
  /** The last of what it wrote to stderr. */
  stderr(): string;
  /** How it ended; undefined while it runs. */
  readonly exit: ChildExit | undefined;
  /** Why it could not be started. */
  readonly startError: Error | undefined;
  /** Resolves when it has ended, or could not be started. */
  readonly gone: Promise<unknown>;
  /** Whether this process, with nothing else to do, goes on because of it. */
  setKeepsAlive(keepsAlive: boolean): void;
  /** Resolves when the whole group is gone. Without patience, it is not first given time to end by itself. */
  end(isPatient: boolean): Promise<void>;
}

type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** `onOverflow` is told of a line that is longer than it may be. */
export function startCliProcess({ command, args, cwd, env }: SpawnRequest, onOverflow: (error: Error) => void): CliProcess {
  const events = new EventEmitter();
  // Without a listener, an error would end our process.
  events.on("error", () => {});
  const stdin = new PassThrough();
  const stdout = createMessageLines(claudeCodeLimits.claudeLineBytes, onOverflow);
  const lastWords = createLastWords();
  let child: PipedChild | undefined;

  const starting = startChild({ stdio: "pipe", command, args, cwd, env, isGuarded: true, onStderr: lastWords.add }).then(
    attach,
    (error: Error) => {
      cli.startError = error;
      stdout.end();
      events.emit("error", error);
      return undefined;
    },
  );

  function attach(started: PipedChild): PipedChild {
    child = started;
    stdin.pipe(started.stdin);
    started.stdout.pipe(stdout);
    // Stopping drops the pipe without an end.
    started.stdout.once("close", () => stdout.end());
    void started.exited.then((exit) => {
      cli.exit = exit;
      spawned.exitCode = exit.code;
      spawned.signalCode = exit.signal;
      stdin.destroy();
      events.emit("exit", exit.code, exit.signal);
    });
    return started;
  }

  // Plain members that are kept up to date, and no getters (decision 0031).
  const spawned: Mutable<SpawnedProcess> = {
    stdin,
    stdout,
    killed: false,
    exitCode: null,
    signalCode: null,
    kill(signal) {
      spawned.killed = true;
      void starting.then(() => child?.kill(signal));
      return cli.exit === undefined;
    },
    on: (event, listener) => void events.on(event, listener as () => void),
    once: (event, listener) => void events.once(event, listener as () => void),
    off: (event, listener) => void events.off(event, listener as () => void),
  };

  const cli: Mutable<CliProcess> = {
    spawned,
    stderr: () => withoutKeys(lastWords.text, env),
    exit: undefined,
    startError: undefined,
    gone: starting.then((started) => started?.exited),
    setKeepsAlive: (keepsAlive) => child?.setKeepsAlive(keepsAlive),
    async end(isPatient) {
      await starting;
      if (!isPatient) child?.kill("SIGTERM");
      await child?.stop();
    },
  };
  return cli;
}

/**
 * Passes on messages, which are objects, and skips what else is written there: the Agent SDK ends at a `null`. A line
 * without an end is not kept. Half a character passes: the model's text comes in pieces, and the next one has the other half.
 */
function createMessageLines(maxBytes: number, onOverflow: (error: Error) => void): Transform {
  const decoder = ndjson.createDecoder({ maxMessageBytes: maxBytes, passesHalfPairs: true });
  const noteNoise = createNoiseLog((words) => logLine(`[hawser] Claude Code: ${words}`));

  function toLine(item: Incoming): string {
    if (item.kind === "message" && isRecord(item.value)) return `${item.text}\n`;
    if (item.kind === "message") noteNoise(item.text);
    else if (item.error.code !== "too_large") noteNoise(item.head);
    else onOverflow(new CLIResponseParseError(`Claude Code wrote a line of more than ${maxBytes} bytes`, { facts: { maxBytes } }));
    return "";
  }

  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, decoder.push(chunk).map(toLine).join("")),
    // Half a line is the end of a process that was ended, and is not worth a word.
    flush(done) {
      const messages = decoder.end().filter(({ kind }) => kind === "message");
      done(null, messages.map(toLine).join(""));
    },
  });
}

/** Their names tell which variables are secret; a short value is a word and not a secret. */
function withoutKeys(text: string, env: SpawnRequest["env"]): string {
  const keys = Object.entries(env).flatMap(([name, value = ""]) =>
    /key|token|secret|passw|credential|auth/i.test(name) && value.length >= 8 ? [value] : [],
  );
  // One may be the beginning of another.
  const longestFirst = keys.toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, key) => rest.replaceAll(key, "[redacted]"), text);
}
