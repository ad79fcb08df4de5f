// A subject that is a pair of streams: an implementation in this process, or a connection that
// somebody else made. Every scenario gets a fresh pair.

import type { Readable, Writable } from "node:stream";
import type { Session, Subject } from "./subject.ts";

export interface StreamPair {
  /** Where we write and the subject reads. */
  readonly input: Writable;
  /** Where the subject writes and we read. */
  readonly output: Readable;
  /** Called once when the scenario is over. */
  close?(): void | Promise<void>;
}

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
      return {
        input: pair.input,
        output: pair.output,
        lastWords: () => "",
        close: () => (closing ??= close().catch(() => {})),
      };
    },
  };
}
