// The head of one response, line by line: its status, its headers, and what they say about the body and the connection. Strict:
// whatever could be read in two ways is refused, since the other way may be that of a proxy before us. Bounded, with the
// trailers, and with all that stands beside the sizes of chunks.

import { gatewayLimits } from "../limits.ts";
import type { ResponseHeaders } from "./connections.ts";
import { headersOverflow, notHttp } from "./network-error.ts";

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const nameText = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const valueText = /^[\t\x20-\x7e\x80-\xff]*$/;
// Numbers that JavaScript counts exactly.
const lengthText = /^\d{1,15}$/;

export class ResponseHead {
  status = 0;
  readonly headers: ResponseHeaders;
  /** What `content-length` says; undefined where it is not there. */
  length: number | undefined;
  private readonly values: Record<string, string | string[]>;
  private size = 0;
  private isOldVersion = false;
  private coding: string | undefined;
  private connection: string | undefined;

  constructor() {
    // A name may be one that objects have.
    this.values = Object.create(null) as Record<string, string | string[]>;
    this.headers = this.values;
  }

  /** Whether the line was the status; some servers end a body with one line break too many. */
  takeStatus(line: string): boolean {
    if (line === "") this.count(2);
    if (line === "") return false;
    const [, minor, status] = statusLine.exec(line) ?? [];
    if (status === undefined) throw notHttp("HPE_INVALID_CONSTANT");
    this.isOldVersion = minor === "0";
    this.status = Number(status);
    return true;
  }

  takeHeader(line: string): void {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    const value = trimBlanks(line, colon + 1);
    this.check(name, value);
    const earlier = this.values[name];
    this.values[name] = earlier === undefined ? value : [earlier, value].flat();
    if (name === "content-length") this.takeLength(value);
    else if (name === "transfer-encoding") this.coding = join(this.coding, value);
    else if (name === "connection") this.connection = join(this.connection, value);
  }

  /** Trailers come too late to mean anything. */
  takeTrailer(line: string): void {
    const colon = line.indexOf(":");
    this.check(line.slice(0, Math.max(colon, 0)), trimBlanks(line, colon + 1));
  }

  count(bytes: number): void {
    this.size += bytes;
    if (this.size >= gatewayLimits.maxResponseHeadBytes) throw headersOverflow();
  }

  /** Whether the body comes in chunks; refuses what frames it twice, or in a way that we don't know. */
  isChunked(): boolean {
    const { coding, length } = this;
    if (coding === undefined) return false;
    if (length !== undefined) throw notHttp("HPE_UNEXPECTED_CONTENT_LENGTH");
    if (coding.toLowerCase() !== "chunked") throw notHttp("HPE_INVALID_TRANSFER_ENCODING");
    return true;
  }

  /** Whether the server keeps the connection open after this response. */
  isKept(): boolean {
    const { connection } = this;
    // An old version does not know chunks: what it calls so may be something else.
    if (this.isOldVersion) return hasWord(connection, "keep-alive") && this.coding === undefined;
    return !hasWord(connection, "close");
  }

  /** For how long, if it says so. */
  keptMs(): number | undefined {
    const hint = this.values["keep-alive"];
    if (hint === undefined) return undefined;
    const [, seconds] = /timeout=(\d{1,9})/.exec(hint.toString()) ?? [];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  }

  private check(name: string, value: string): void {
    if (!nameText.test(name) || !valueText.test(value)) throw notHttp("HPE_INVALID_HEADER_TOKEN");
    this.count(name.length + value.length);
  }

  private takeLength(value: string): void {
    if (this.length !== undefined) throw notHttp("HPE_UNEXPECTED_CONTENT_LENGTH");
    if (!lengthText.test(value)) throw notHttp("HPE_INVALID_CONTENT_LENGTH");
    this.length = Number(value);
  }
}

const join = (earlier: string | undefined, value: string): string => (earlier === undefined ? value : `${earlier},${value}`);

function trimBlanks(line: string, from: number): string {
  let end = line.length;
  let start = from;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function hasWord(list: string | undefined, word: string): boolean {
  if (list === undefined || list === word) return list === word;
  return list.split(",").some((entry) => entry.trim().toLowerCase() === word);
}
