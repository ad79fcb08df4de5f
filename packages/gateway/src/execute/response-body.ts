// What is kept of a response body, and how it becomes a string: bounded in decoded bytes and in the
// length that it has as JSON, decoded by its charset, without the token. Bytes that are not text become
// base64. A body that is cut ends at a whole character and never within a token.

import { isAscii, isUtf8 } from "node:buffer";
import type { Share } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";
import type { BodySink } from "./exchange.ts";
import type { Redactor } from "./redaction.ts";

export interface BodyCollector extends BodySink {
  isTruncated(): boolean;
  bytes(): Buffer;
}

/** Keeps up to `maxBytes` and refuses the rest; waits where other calls hold what there is for all. */
export function createBodyCollector(maxBytes: number, share?: Share): BodyCollector {
  const chunks: Buffer[] = [];
  let size = 0;
  let isTruncated = false;
  return {
    isTruncated: () => isTruncated,
    write(chunk) {
      isTruncated = size + chunk.length > maxBytes;
      const kept = isTruncated ? chunk.subarray(0, maxBytes - size) : chunk;
      chunks.push(kept);
      size += kept.length;
      share?.set(size);
      if (isTruncated) return false;
      return !share || share.mayGrow() || share.whenMayGrow();
    },
    bytes: () => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
  };
}

export interface BodyText {
  readonly body: string;
  readonly bodyEncoding?: "base64";
  readonly bytes: number;
  readonly truncated?: true;
}

export function toBodyText(collector: BodyCollector, contentType: string | undefined, redactor: Redactor): BodyText {
  const whole = collector.bytes();
  const isCut = collector.isTruncated();
  const kept = isCut ? whole.subarray(0, whole.length - redactor.openTail(whole)) : whole;
  const text = decodeText(kept, contentType, isCut);
  const fitted = text === undefined ? toBase64(kept, redactor) : fitText(redactor.text(text), redactor);
  const isTruncated = isCut || fitted.isCut;
  return {
    body: fitted.body,
    ...(text === undefined && { bodyEncoding: "base64" as const }),
    bytes: fitted.isCut ? fitted.bytes : kept.length,
    ...(isTruncated && { truncated: true as const }),
  };
}

function decodeText(bytes: Buffer, contentType: string | undefined, isTruncated: boolean): string | undefined {
  // Most types have no parameter at all.
  const charset = !contentType?.includes(";")
    ? "utf-8"
    : (/;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? "utf-8");
  if (charset === "utf-8" || charset === "utf8") {
    const whole = isTruncated ? bytes.subarray(0, bytes.length - brokenTail(bytes)) : bytes;
    return isUtf8(whole) ? whole.toString("utf8") : undefined;
  }
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isTruncated });
  } catch {
    return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  }
}

/** Bytes at the end that begin a character without finishing it. */
function brokenTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

interface Fitted {
  readonly body: string;
  readonly bytes: number;
  readonly isCut: boolean;
}

function toBase64(bytes: Buffer, redactor: Redactor): Fitted {
  const most = Math.floor(gatewayLimits.maxBodyJsonBytes / 4) * 3;
  const kept = bytes.subarray(0, most);
  return { body: redactor.bytes(kept).toString("base64"), bytes: kept.length, isCut: kept.length < bytes.length };
}

/** The text as it is if it fits into its share of an answer's line, else as much of it as does. */
function fitText(text: string, redactor: Redactor): Fitted {
  const whole = { body: text, bytes: 0, isCut: false };
  // At worst every unit takes six bytes: most bodies need no second look.
  if (text.length * 6 <= gatewayLimits.maxBodyJsonBytes) return whole;
  const bytes = Buffer.from(text);
  const end = fittingBytes(bytes, gatewayLimits.maxBodyJsonBytes);
  if (end === bytes.length) return whole;
  const cut = bytes.subarray(0, end);
  const atCharacter = cut.subarray(0, cut.length - brokenTail(cut));
  const kept = atCharacter.subarray(0, atCharacter.length - redactor.openTail(atCharacter));
  return { body: kept.toString("utf8"), bytes: kept.length, isCut: true };
}

/** How many of the bytes fit into `maxBytes` once they are written as a JSON string. */
function fittingBytes(bytes: Buffer, maxBytes: number): number {
  let used = 0;
  const isPlain = isAscii(bytes);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x20) used += 6;
    else if (byte === 0x22 || byte === 0x5c) used += 2;
    // U+2028 and U+2029 are escaped too: three bytes become six.
    else used += !isPlain && byte === 0xe2 ? 4 : 1;
    if (used > maxBytes) return at;
  }
  return bytes.length;
}
