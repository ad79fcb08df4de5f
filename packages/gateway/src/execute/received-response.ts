// A response on its way in, and what a caller sees of it: its headers if they were asked for, and its body, kept or handed on
// as it comes, at the pace of who takes it. Everything without the token.

import type { Share } from "@hawser/wire/internal";
import type { CallResponse, OnBody } from "../call.ts";
import { gatewayLimits } from "../limits.ts";
import type { ResponseHeaders, BodySink } from "./exchange.ts";
import { type Redactor, createRedactingStream } from "./redaction.ts";
import { createBodyCollector, toBodyText, type BodyCollector } from "./response-body.ts";

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

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly sink: BodyCollector | StreamedBody;
}

export function receiveResponse(status: number, headers: ResponseHeaders, options: ResponseOptions): ReceivedResponse {
  const { onBody, maxBodyBytes, redactor, share } = options;
  const isStreamed = onBody !== undefined && status >= 200 && status < 300;
  if (!isStreamed) return { status, headers, sink: createBodyCollector(maxBodyBytes ?? gatewayLimits.maxBodyBytes, share) };
  const head = { status, ...toShownHeaders(headers, options) };
  return { status, headers, sink: createStreamedBody((chunk) => onBody(chunk, head), redactor, maxBodyBytes) };
}

/** What was handed on can't be taken back. */
export const hasHandedOn = ({ sink }: ReceivedResponse): boolean => "flush" in sink && sink.size() > 0;

/** Once the body has ended; a promise only where the last of it must still be handed on. */
export function toResponse(received: ReceivedResponse, options: ResponseOptions): CallResponse | Promise<CallResponse> {
  const { status, headers, sink } = received;
  const { redactor } = options;
  const shown = toShownHeaders(headers, options);
  if (!("flush" in sink)) return { status, ...shown, ...toBodyText(sink, headers["content-type"]?.toString(), redactor) };
  const toEmpty = (): CallResponse => ({ status, ...shown, body: "", bytes: sink.size(), ...(sink.isTruncated() && { truncated: true }) });
  return sink.flush().then(toEmpty);
}

const toShownHeaders = (
  headers: ResponseHeaders,
  { includeHeaders, redactor }: ResponseOptions,
): Pick<CallResponse, "headers"> | undefined => (includeHeaders ? { headers: toHeaderLists(headers, redactor) } : undefined);

function toHeaderLists(headers: ResponseHeaders, redactor: Redactor): Record<string, string[]> {
  const entries = Object.entries(headers).map(([name, value]): [string, string[]] => [
    canonicalName(name),
    [value ?? []].flat().map((text) => redactor.text(text)),
  ]);
  return Object.fromEntries(entries);
}

/** `content-type` → `Content-Type`: the spelling that hosts look for. */
const canonicalName = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

interface StreamedBody extends BodySink {
  /** Decoded bytes that were handed on, counted before redaction. */
  size(): number;
  isTruncated(): boolean;
  /** Hands on what was held back; nothing if the body was cut, since it may be a part of the token. */
  flush(): Promise<void>;
}

function createStreamedBody(onBody: (chunk: Buffer) => Promise<void>, redactor: Redactor, maxBytes: number = Infinity): StreamedBody {
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
