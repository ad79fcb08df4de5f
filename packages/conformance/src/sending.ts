// Writes to the subject. Each chunk is handed to the system before the next; a subject that doesn't read fails the step, and so does one
// that closed its input.

import { lineOf, noteSent, timeLeft, type Conversation } from "./conversation.ts";
import { describeExit, type Difference } from "./difference.ts";
import { cut } from "./pieces.ts";
import { within } from "./receiver.ts";

interface Writing {
  readonly on?: string | undefined;
  readonly ahead?: true;
  readonly chunkBytes?: number;
  readonly orEnd?: true;
}

export async function write(bytes: Buffer, conversation: Conversation, step: Writing): Promise<Difference | undefined> {
  const { session, timeoutMs } = conversation;
  const line = lineOf(conversation, step);
  const { input } = line.channel;
  noteSent(conversation, line, bytes);
  if (step.ahead) return void input.write(bytes);
  const endsAt = performance.now() + timeoutMs;
  for (const chunk of cut(bytes, step.chunkBytes ?? bytes.length)) {
    const written = new Promise<Error | null>((resolve) => input.write(chunk, (error) => resolve(error ?? null)));
    const outcome = await within(written, timeLeft(endsAt));
    if (outcome === null) continue;
    const expected = `the subject takes ${chunk.length} bytes`;
    if (outcome === undefined) return { expected, got: `it did not read them within ${timeoutMs} ms` };
    return step.orEnd ? undefined : { expected, got: `its input is closed (${outcome.message})${await describeExit(session)}` };
  }
  return undefined;
}
