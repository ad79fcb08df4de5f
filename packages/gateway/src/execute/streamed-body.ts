// A response body that is handed on as it comes instead of being kept: without the token, at the pace
// of who takes it, and up to a limit if there is one.

import type { BodySink } from "./exchange.ts";
import { createRedactingStream, type Redactor } from "./redaction.ts";

export interface StreamedBody extends BodySink {
  /** Decoded bytes that were handed on, counted before redaction. */
  size(): number;
  isTruncated(): boolean;
  /** Hands on what was held back; nothing if the body was cut, since it may be a part of the token. */
  flush(): Promise<void>;
}

export function createStreamedBody(
  onBody: (chunk: Buffer) => Promise<void>,
  redactor: Redactor,
  maxBytes: number = Infinity,
): StreamedBody {
  const redacting = createRedactingStream(redactor);
  let bytes = 0;
  let isTruncated = false;
  let lastChunk = Promise.resolve();

  function handOn(chunk: Buffer): Promise<void> {
    if (chunk.length > 0) lastChunk = lastChunk.then(() => onBody(chunk));
    return lastChunk;
  }
  return {
    size: () => bytes,
    isTruncated: () => isTruncated,
    write(chunk) {
      isTruncated = bytes + chunk.length > maxBytes;
      const kept = isTruncated ? chunk.subarray(0, maxBytes - bytes) : chunk;
      bytes += kept.length;
      const handedOn = handOn(redacting.push(kept));
      if (!isTruncated) return handedOn;
      handedOn.catch(() => undefined);
      return false;
    },
    async flush() {
      await lastChunk;
      if (!isTruncated) await handOn(redacting.end());
    },
  };
}
