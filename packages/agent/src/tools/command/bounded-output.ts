// Keeps the beginning and the end of an output of any length, and turns them into well-formed text.

import { wholeCharacterBytes } from "../files/read-text.ts";

export interface OutputText {
  readonly text: string;
  readonly isCut: boolean;
  /** Some bytes are not UTF-8; replacement characters stand for them. */
  readonly isLossy: boolean;
}

const maxChunks = 1_024;

export function createBoundedOutput(maxBytes: number) {
  const headRoom = Math.floor(maxBytes / 2);
  const tailRoom = maxBytes - headRoom;
  let head = Buffer.alloc(0);
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let total = 0;

  const lastBytes = (): Buffer => Buffer.concat(tail).subarray(-tailRoom);

  // Now and then, so that many small chunks don't each move all of it.
  function dropOld(): void {
    if (tailBytes <= 4 * tailRoom && tail.length <= maxChunks) return;
    tail = [Buffer.from(lastBytes())];
    tailBytes = Math.min(tailBytes, tailRoom);
  }

  return {
    add(chunk: Uint8Array): void {
      total += chunk.length;
      const free = headRoom - head.length;
      if (free > 0) head = Buffer.concat([head, chunk.subarray(0, free)]);
      const rest = (free > 0 ? chunk.subarray(free) : chunk).subarray(-tailRoom);
      tail.push(rest);
      tailBytes += rest.length;
      dropOld();
    },
    take(): OutputText {
      const last = lastBytes();
      const dropped = total - head.length - last.length;
      if (dropped <= 0) return toOutput([Buffer.concat([head, last])], "");
      return toOutput(
        [head.subarray(0, wholeCharacterBytes(head)), last.subarray(firstWhole(last))],
        `\n[… ${dropped} bytes left out …]\n`,
      );
    },
  };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function toOutput(parts: readonly Buffer[], between: string): OutputText {
  let isLossy = false;
  const texts = parts.map((bytes) => {
    try {
      return strict.decode(bytes);
    } catch {
      isLossy = true;
      return bytes.toString("utf8");
    }
  });
  return { text: texts.join(between), isCut: parts.length > 1, isLossy };
}

/** Where the first character begins that is not cut. */
function firstWhole(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}
