// Writing to a subject. Each chunk is handed to the system before the next; a subject that does not
// read fails the step, and so does one that closed its input.

import { timeLeft, type Line } from "./conversation.ts";
import { describeExit, type Difference } from "./expecting.ts";
import type { Session } from "./subject.ts";
import { within } from "./wait.ts";

export interface Writing {
  readonly session: Session;
  readonly timeoutMs: number;
  /** The subject may have ended the connection. */
  readonly orEnd?: true | undefined;
}

export async function write({ channel }: Line, chunks: Iterable<Buffer>, writing: Writing): Promise<Difference | undefined> {
  const { session, timeoutMs, orEnd } = writing;
  const endsAt = performance.now() + timeoutMs;
  for (const chunk of chunks) {
    const written = new Promise<Error | null>((resolve) => channel.input.write(chunk, (error) => resolve(error ?? null)));
    const outcome = await within(written, timeLeft(endsAt));
    if (outcome === null) continue;
    const expected = `the subject takes ${chunk.length} bytes`;
    if (outcome === undefined) return { expected, got: `it did not read them within ${timeoutMs} ms` };
    return orEnd ? undefined : { expected, got: `its input is closed (${outcome.message})${await describeExit(session)}` };
  }
  return undefined;
}
