// Undoes the compression of a response body chunk by chunk. Nothing is decoded ahead of who takes it:
// at most one chunk beyond what was asked for, however much a few bytes may unfold to.

import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

export interface ContentDecoder {
  /** False: wait for `onDrain` before the next chunk. */
  write(chunk: Buffer): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

interface ContentDecoderOptions {
  onData(chunk: Buffer): void;
  onEnd(): void;
  onDrain(): void;
  onError(error: HawserError): void;
}

/** What we can undo, for `accept-encoding`. */
export const acceptedEncodings = "gzip, deflate, br";

/** The codings of a header, outermost last; undefined if there are none, or one that we don't know. */
export function parseContentEncoding(header: string | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined;
  const names = header.toLowerCase().split(",");
  const codings = names.map((name) => name.trim().replace(/^x-/, "")).filter((name) => name !== "" && name !== "identity");
  if (codings.length === 0 || !codings.every((name) => stageMakers.has(name))) return undefined;
  if (codings.length <= gatewayLimits.maxContentCodings) return codings;
  throw new HawserError("too_large", `response is compressed ${codings.length} times; the limit is ${gatewayLimits.maxContentCodings}`);
}

/** By coding. `firstByte` is that of the body, for the outermost one. */
const stageMakers = new Map<string, (firstByte: number | undefined) => Transform>([
  ["gzip", () => zlib.createGunzip()],
  // Some servers leave out the wrapper that the name promises; its first byte tells.
  ["deflate", (first) => (first === undefined || (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ["br", () => zlib.createBrotliDecompress()],
]);
// Asking `zlib` itself would load it at every start.
if (process.versions["zstd"] !== undefined) stageMakers.set("zstd", () => zlib.createZstdDecompress());

export function createContentDecoder(codings: readonly string[], options: ContentDecoderOptions): ContentDecoder {
  let stages: Transform[] | undefined;
  let isOver = false;

  function open(firstByte: number): Transform[] {
    const makers = codings.toReversed().flatMap((coding) => stageMakers.get(coding) ?? []);
    const opened = makers.map((make, position) => make(position === 0 ? firstByte : undefined));
    for (const [position, stage] of opened.entries()) {
      stage.on("error", fail);
      const next = opened[position + 1];
      if (next) stage.pipe(next);
    }
    opened[0]?.on("drain", () => !isOver && options.onDrain());
    opened.at(-1)?.on("data", (chunk: Buffer) => !isOver && options.onData(chunk));
    opened.at(-1)?.on("end", () => !isOver && options.onEnd());
    return opened;
  }

  function fail(error: Error): void {
    if (isOver) return;
    destroy();
    options.onError(new HawserError("connection_lost", `broken ${codings.join(", ")} body`, { cause: error }));
  }

  function destroy(): void {
    isOver = true;
    for (const stage of stages ?? []) stage.destroy();
  }

  return {
    write(chunk) {
      if (isOver || chunk.length === 0) return true;
      stages ??= open(chunk[0] ?? 0);
      return stages[0]?.write(chunk) ?? true;
    },
    end() {
      // A body without a byte has no compression to undo.
      if (stages) stages[0]?.end();
      else options.onEnd();
    },
    pause: () => void stages?.at(-1)?.pause(),
    resume: () => void stages?.at(-1)?.resume(),
    destroy,
  };
}
