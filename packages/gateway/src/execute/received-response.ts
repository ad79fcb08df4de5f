// A response on its way in, and what a caller sees of it: where its body goes, its headers if they were
// asked for, and everything without the token.

import { limits } from "@hawser/wire";
import type { CallResponse, OnBody } from "../call.ts";
import type { BodyRoom } from "./body-room.ts";
import type { ResponseHeaders } from "./exchange.ts";
import type { Redactor } from "./redaction.ts";
import { createBodyCollector, toBodyText, type BodyCollector } from "./response-body.ts";
import { createStreamedBody, type StreamedBody } from "./streamed-body.ts";

export interface ResponseOptions {
  readonly redactor: Redactor;
  readonly includeHeaders?: boolean | undefined;
  /** Bounds `response.body` (4 MiB unless given), and what goes to `onBody` only if given. */
  readonly maxBodyBytes?: number | undefined;
  /** Takes the body of a success as it comes. */
  readonly onBody?: OnBody | undefined;
  /** Shared with other calls, for bodies that are kept. */
  readonly room?: BodyRoom | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly sink: BodyCollector | StreamedBody;
}

export function receiveResponse(status: number, headers: ResponseHeaders, options: ResponseOptions): ReceivedResponse {
  const { onBody, maxBodyBytes, redactor, room } = options;
  const isStreamed = onBody !== undefined && status >= 200 && status < 300;
  if (!isStreamed) return { status, headers, sink: createBodyCollector(maxBodyBytes ?? limits.maxBodyBytes, room) };
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
