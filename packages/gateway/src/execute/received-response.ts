// A response on its way in, and what a caller sees of it, without the token: headers if they were asked for, and the body,
// handed on as it comes or kept within limits. Bytes that are not text become base64.

import { isAscii, isUtf8 } from "node:buffer";
import type { Share } from "@hawser/wire/internal";
import type { CallResponse, OnBody } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import type { ResponseHeaders } from "./connections.ts";
import type { BodySink } from "./exchange.ts";
import { type Redactor, createRedactingStream } from "./redaction.ts";

export interface ResponseOptions {
  readonly redactor: Redactor;
  readonly includeHeaders?: boolean | undefined;
  /** Bounds `response.body` (4 MiB unless given), and what goes to `onBody` only if given. */
  readonly maxBodyBytes?: number | undefined;
  /** Takes the body of a success as it comes. */
  readonly onBody?: OnBody | undefined;
  /** Of what all calls may hold together, for bodies that are kept. */
  readonly share?: Share | undefined;
}

export interface ReceivedResponse extends BodySink {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Whether a part of the body was handed on, which can't be taken back. */
  hasHandedOn(): boolean;
  /** Once the body has ended; a promise only where the last of it must still be handed on. */
  finish(): CallResponse | Promise<CallResponse>;
}

type Head = Pick<CallResponse, "status" | "headers">;

export function receiveResponse(status: number, headers: ResponseHeaders, options: ResponseOptions): ReceivedResponse {
  const { onBody, includeHeaders, redactor } = options;
  const head = includeHeaders ? { status, headers: toHeaderLists(headers, redactor) } : { status };
  return onBody && status >= 200 && status < 300 ? handOn(head, headers, onBody, options) : new CollectedResponse(head, headers, options);
}

function toHeaderLists(headers: ResponseHeaders, redactor: Redactor): Record<string, string[]> {
  const entries = Object.entries(headers).map(([name, value]): [string, string[]] => [
    // `content-type` → `Content-Type`: the spelling that hosts look for.
    name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    [value ?? []].flat().map((text) => redactor.text(text)),
  ]);
  return Object.fromEntries(entries);
}

/** Hands the body on at the pace of who takes it. Its size is counted before redaction. */
function handOn(head: Head, headers: ResponseHeaders, onBody: OnBody, options: ResponseOptions): ReceivedResponse {
  const { redactor, maxBodyBytes = Infinity } = options;
  const redacting = createRedactingStream(redactor);
  let bytes = 0;
  let isTruncated = false;
  let lastChunk = Promise.resolve();

  function give(chunk: Buffer): Promise<void> {
    if (chunk.length > 0) lastChunk = lastChunk.then(() => onBody(chunk, head));
    return lastChunk;
  }
  return {
    status: head.status,
    headers,
    write(chunk) {
      isTruncated = bytes + chunk.length > maxBodyBytes;
      const kept = isTruncated ? chunk.subarray(0, maxBodyBytes - bytes) : chunk;
      bytes += kept.length;
      const given = give(redacting.push(kept));
      if (!isTruncated) return given;
      given.catch(() => undefined);
      return false;
    },
    hasHandedOn: () => bytes > 0,
    async finish() {
      await lastChunk;
      // What is held back at the end of a body that was cut may be a part of the token.
      if (!isTruncated) await give(redacting.end());
      return { ...head, body: "", bytes, ...(isTruncated && { truncated: true }) };
    },
  };
}

/** Keeps up to the limit and refuses the rest; waits where other calls hold what there is for all. */
// A class, since each of many thousand calls has one.
class CollectedResponse implements ReceivedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  private readonly head: Head;
  private readonly options: ResponseOptions;
  private readonly maxBytes: number;
  /** Most bodies come in one piece. */
  private first: Buffer | undefined;
  private rest: Buffer[] | undefined;
  private size = 0;
  private isTruncated = false;

  constructor(head: Head, headers: ResponseHeaders, options: ResponseOptions) {
    this.status = head.status;
    this.headers = headers;
    this.head = head;
    this.options = options;
    this.maxBytes = options.maxBodyBytes ?? gatewayLimits.maxBodyBytes;
  }

  write(chunk: Buffer): boolean | Promise<void> {
    this.isTruncated = this.size + chunk.length > this.maxBytes;
    const kept = this.isTruncated ? chunk.subarray(0, this.maxBytes - this.size) : chunk;
    if (this.first) (this.rest ??= []).push(kept);
    else this.first = kept;
    this.size += kept.length;
    const { share } = this.options;
    share?.set(this.size);
    if (this.isTruncated) return false;
    return !share || share.mayGrow() || share.whenMayGrow();
  }

  hasHandedOn(): boolean {
    return false;
  }

  finish(): CallResponse {
    const first = this.first ?? nothing;
    const whole = this.rest ? Buffer.concat([first, ...this.rest]) : first;
    const text = toBodyText(whole, this.isTruncated, this.headers["content-type"]?.toString(), this.options.redactor);
    return { ...this.head, ...text };
  }
}

const nothing = Buffer.alloc(0);

function toBodyText(whole: Buffer, isCut: boolean, contentType: string | undefined, redactor: Redactor): Omit<CallResponse, keyof Head> {
  const kept = isCut ? whole.subarray(0, whole.length - redactor.openTail(whole)) : whole;
  const text = decodeText(kept, contentType, isCut);
  const { body, bytes } = text === undefined ? toBase64(kept, redactor) : fitText(redactor.text(text), redactor);
  // Most are just this.
  if (text !== undefined && !isCut && bytes === undefined) return { body, bytes: kept.length };
  return {
    body,
    ...(text === undefined && { bodyEncoding: "base64" }),
    bytes: bytes ?? kept.length,
    ...((isCut || bytes !== undefined) && { truncated: true }),
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

/** `bytes` says how many were kept, where that is not all of them. */
interface Fitted {
  readonly body: string;
  readonly bytes?: number;
}

function toBase64(bytes: Buffer, redactor: Redactor): Fitted {
  const most = Math.floor(gatewayLimits.maxBodyJsonBytes / 4) * 3;
  const body = redactor.bytes(bytes.subarray(0, most)).toString("base64");
  return bytes.length > most ? { body, bytes: most } : { body };
}

/** The text as it is if it fits into its share of an answer's line, else as much of it as does. */
function fitText(text: string, redactor: Redactor): Fitted {
  // At worst every unit takes six bytes: most bodies need no second look.
  if (text.length * 6 <= gatewayLimits.maxBodyJsonBytes) return { body: text };
  const bytes = Buffer.from(text);
  const end = fittingBytes(bytes, gatewayLimits.maxBodyJsonBytes);
  if (end === bytes.length) return { body: text };
  const cut = bytes.subarray(0, end);
  const atCharacter = cut.subarray(0, cut.length - brokenTail(cut));
  const kept = atCharacter.subarray(0, atCharacter.length - redactor.openTail(atCharacter));
  return { body: kept.toString("utf8"), bytes: kept.length };
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
