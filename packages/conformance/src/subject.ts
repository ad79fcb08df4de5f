// What is under test, seen from outside: bytes in, bytes out, and sometimes a process that takes signals and exits. How the bytes travel
// (pipes, our socket, the subject's socket) is up to the subject, so every kind of subject runs the same scenarios.

import type { Readable, Writable } from "node:stream";
import type { Setup } from "./scenario.ts";

/** One way to speak to the subject. */
export interface Channel {
  /** Where we write and the subject reads. */
  readonly input: Writable;
  /** Where the subject writes and we read. */
  readonly output: Readable;
}

/** One run of the subject: a fresh conversation. */
export interface Session extends Channel {
  readonly process?: {
    readonly pid: number;
    readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
    kill(signal: string): void;
  };
  /** Values for the names that the suite says are given. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Another connection to the subject. Rejects when it takes none. */
  connect?(): Promise<Channel>;
  /** What can be seen of the subject besides its messages, at this moment; scenario.ts lists it. */
  facts?(): Readonly<Record<string, unknown>>;
  /** What the subject did besides its messages that no scenario allows. */
  faults?(): readonly string[];
  removeSchema?(): void;
  writeConfig?(config: unknown): void;
  /** The end of what the subject wrote to its log, for the report of a failure. */
  lastWords(): string;
  /** Ends the subject, whatever state it is in, and frees everything. Idempotent, bounded, never throws. */
  close(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** False if there is nothing to signal: scenarios that need it are reported as skipped. */
  readonly hasProcess: boolean;
  /** Rejects with `start_failed` when there is no way to start it at all. */
  open(setup?: Setup): Promise<Session>;
}

export interface StreamPair extends Channel {
  /** Called once when the scenario is over. */
  close?(): void | Promise<void>;
}

/** A pair of streams: an implementation in this process, or an existing connection. Every scenario gets a fresh pair. */
export function streamsSubject(name: string, openPair: () => StreamPair | Promise<StreamPair>): Subject {
  return {
    name,
    hasProcess: false,
    async open(): Promise<Session> {
      const pair = await openPair();
      let closing: Promise<void> | undefined;
      async function close(): Promise<void> {
        pair.input.destroy();
        pair.output.destroy();
        await pair.close?.();
      }
      const { input, output } = pair;
      return { input, output, lastWords: () => "", close: () => (closing ??= close().catch(() => {})) };
    },
  };
}
