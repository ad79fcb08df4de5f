// What is under test, seen from outside: bytes in, bytes out, and where there is one, a process that
// takes signals and exits. How the bytes travel (pipes, a socket that we opened, one that the
// subject opened) is the subject's own business, so every kind of subject runs the same scenarios.

import type { Readable, Writable } from "node:stream";
import type { Setup } from "./scenario.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface ProcessControl {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  kill(signal: string): void;
}

/** One way to speak to the subject. */
export interface Channel {
  /** Where we write and the subject reads. */
  readonly input: Writable;
  /** Where the subject writes and we read. */
  readonly output: Readable;
}

/** One run of the subject: a fresh conversation. */
export interface Session extends Channel {
  readonly process?: ProcessControl;
  /** A further connection to the subject. Rejects when it takes none. */
  connect?(): Promise<Channel>;
  /** What can be seen of the subject beside its messages, at this moment; see setup.ts. */
  facts?(): Readonly<Record<string, unknown>>;
  /** What the subject did beside its messages that no scenario allows. */
  faults?(): readonly string[];
  removeSchema?(): void;
  writeConfig?(config: unknown): void;
  /** The end of what the subject wrote to its log; the reader of a failure wants it. */
  lastWords(): string;
  /** Ends the subject, whatever state it is in, and frees everything. Idempotent, bounded, never throws. */
  close(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** False where there is nothing to signal: scenarios that need it are skipped, and say so. */
  readonly hasProcess: boolean;
  /** Rejects with `start_failed` when there is no way to start it at all. */
  open(setup?: Setup): Promise<Session>;
}

export interface StreamPair extends Channel {
  /** Called once when the scenario is over. */
  close?(): void | Promise<void>;
}

/** A pair of streams: an implementation in this process, or a connection that was made before. Every scenario gets a fresh pair. */
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
