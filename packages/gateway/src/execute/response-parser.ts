// The bytes of a connection as responses of HTTP/1.1, one at a time. It holds a part of one line and the head, both bounded; a
// body is handed on as it comes, once for each piece that was read, in memory of its own. What it refuses, `ResponseHead` says.

import { gatewayLimits } from "../limits.ts";
import type { ResponseHeaders } from "./connections.ts";
import { closedEarly, headersOverflow, notHttp } from "./network-error.ts";
import { ResponseHead } from "./response-head.ts";

/** Who is told of the final response. Informational ones (1xx) are checked and passed over. */
export interface ResponseListener {
  onHead(status: number, headers: ResponseHeaders): void;
  onBody(chunk: Buffer): void;
}

// Enough for the head of nearly every response, and for the lines between the chunks of a body.
const headWindow = 2_048;
const chunkWindow = 64;

const carriageReturn = 0x0d;
const statusStart = "HTTP/1.";
// The size is a number that JavaScript counts exactly.
const chunkLine = /^([0-9A-Fa-f]{1,13})((?:;[\t\x20-\x7e\x80-\xff]*)?)$/;

type State =
  /** Nothing was asked for, or everything has come. */
  | "over"
  | "status"
  | "headers"
  /** `remaining` bytes of the body, or of the chunk. */
  | "body"
  | "chunk"
  | "until-end"
  | "chunk-size"
  | "chunk-end"
  | "trailers";

export class ResponseParser {
  /** The response has come to its end. */
  isWhole = false;
  /** Whether the connection may carry another request after this response. */
  isReusable = false;
  /** How long the server says that it keeps an unused connection; undefined where it does not say. */
  keptMs: number | undefined;
  private state: State = "over";
  private readonly listener: ResponseListener;
  private isHead = false;
  /** From its first line on. */
  private head: ResponseHead | undefined;
  /** The beginning of a line whose end has not come. */
  private held = "";
  private remaining = 0;
  /** The content of the chunks in the bytes that are read now. */
  private gathered: Buffer | undefined;
  private gatheredBytes = 0;
  /** The last head that came whole: most servers say the same again, but for the second in which they say it. */
  private known: { readonly bytes: Buffer; readonly head: ResponseHead } | undefined;

  constructor(listener: ResponseListener) {
    this.listener = listener;
  }

  /** A request of this method is about to be written. */
  begin(method: string): void {
    this.isHead = method === "HEAD";
    this.isWhole = false;
    this.isReusable = false;
    this.startHead();
  }

  /** Nothing more is told. */
  stop(): void {
    this.state = "over";
    this.held = "";
  }

  /** Takes the first `end` bytes, which may change afterwards. Throws what the call fails with. */
  read(bytes: Buffer, end: number): void {
    let at = 0;
    while (at < end && this.state !== "over") {
      if (this.state === "body" || this.state === "until-end") at += this.takeBody(bytes, at, end);
      else if (this.state === "chunk") at += this.takeChunk(bytes, at, end);
      else if (this.state === "status" && this.held === "") at += this.takeHead(bytes, at, end);
      else at += this.takeLines(bytes.toString("latin1", at, Math.min(end, at + this.window())));
    }
    this.handOnGathered();
    // Bytes that belong to no request: whatever sent them is not to be asked again.
    if (at < end) this.isReusable = false;
  }

  /** The connection has no more bytes. Whether that is the end of the response. */
  end(): boolean {
    if (this.state !== "until-end") return false;
    this.finish();
    return true;
  }

  private startHead(): void {
    this.state = "status";
    this.head = undefined;
  }

  private finish(): void {
    this.state = "over";
    this.isWhole = true;
  }

  private takeHead(bytes: Buffer, at: number, end: number): number {
    const { known } = this;
    if (known && at + known.bytes.length <= end && known.bytes.compare(bytes, at, at + known.bytes.length) === 0) {
      this.endHead((this.head = known.head));
      return known.bytes.length;
    }
    const taken = this.takeLines(bytes.toString("latin1", at, Math.min(end, at + headWindow)));
    const { state, head } = this;
    const isAllOfIt = state === "body" || (state === "over" && this.isReusable);
    // Of chunks, lines beside the head may be in what was taken, and more is counted.
    if (isAllOfIt && head && !head.isChunked()) this.known = { bytes: Buffer.from(bytes.subarray(at, at + taken)), head };
    return taken;
  }

  private takeBody(bytes: Buffer, at: number, end: number): number {
    const taken = this.state === "body" ? Math.min(this.remaining, end - at) : end - at;
    this.remaining -= taken;
    if (this.state === "body" && this.remaining === 0) this.finish();
    this.listener.onBody(Buffer.from(bytes.subarray(at, at + taken)));
    return taken;
  }

  private takeChunk(bytes: Buffer, at: number, end: number): number {
    const taken = Math.min(this.remaining, end - at);
    this.gathered ??= Buffer.allocUnsafe(end - at);
    this.gatheredBytes += bytes.copy(this.gathered, this.gatheredBytes, at, at + taken);
    this.remaining -= taken;
    if (this.remaining === 0) this.state = "chunk-end";
    return taken;
  }

  private handOnGathered(): void {
    const { gathered, gatheredBytes } = this;
    if (!gathered) return;
    this.gathered = undefined;
    this.gatheredBytes = 0;
    this.listener.onBody(gathered.subarray(0, gatheredBytes));
  }

  private window(): number {
    return this.state === "status" || this.state === "headers" ? headWindow : chunkWindow;
  }

  /** Returns how much of the text was taken. */
  private takeLines(text: string): number {
    let from = 0;
    while (from < text.length && this.isBetweenLines()) {
      const lineEnd = text.indexOf("\n", from);
      if (lineEnd === -1) {
        this.hold(text.slice(from));
        return text.length;
      }
      // Most lines come whole.
      const isWholeLine = this.held === "" && lineEnd > from && text.charCodeAt(lineEnd - 1) === carriageReturn;
      this.takeLine(isWholeLine ? text.slice(from, lineEnd - 1) : this.endHeldLine(text.slice(from, lineEnd)));
      from = lineEnd + 1;
    }
    return from;
  }

  private endHeldLine(rest: string): string {
    const line = this.held + rest;
    this.held = "";
    if (line.length > gatewayLimits.maxResponseHeadBytes) throw headersOverflow();
    if (!line.endsWith("\r")) throw notHttp("HPE_CR_EXPECTED");
    return line.slice(0, -1);
  }

  private isBetweenLines(): boolean {
    const { state } = this;
    return state !== "over" && state !== "body" && state !== "chunk" && state !== "until-end";
  }

  private hold(text: string): void {
    this.held += text;
    if (this.held.length > gatewayLimits.maxResponseHeadBytes) throw headersOverflow();
    // What speaks another protocol may wait for an answer of ours.
    const start = this.held.slice(0, statusStart.length);
    if (this.state === "status" && start !== "\r" && !statusStart.startsWith(start)) throw notHttp("HPE_INVALID_CONSTANT");
  }

  private takeLine(line: string): void {
    const head = (this.head ??= new ResponseHead());
    if (this.state === "headers" && line !== "") head.takeHeader(line);
    else if (this.state === "headers") this.endHead(head);
    else if (this.state === "status") this.state = head.takeStatus(line) ? "headers" : "status";
    else if (this.state === "chunk-size") this.takeChunkSize(line, head);
    else if (this.state === "chunk-end") this.takeChunkEnd(line);
    else if (line === "") this.finish();
    else head.takeTrailer(line);
  }

  private endHead(head: ResponseHead): void {
    const { status, length } = head;
    const isChunked = head.isChunked();
    if (status < 200) {
      // Another protocol was not asked for, and nothing that follows would be HTTP.
      if (status === 101) throw closedEarly();
      if (isChunked || length !== undefined) throw notHttp("HPE_UNEXPECTED_CONTENT_LENGTH");
      return this.startHead();
    }
    // After a HEAD some servers send the body all the same.
    this.isReusable = !this.isHead && head.isKept();
    this.keptMs = head.keptMs();
    this.state = this.bodyState(status, isChunked, length);
    this.isWhole = this.state === "over";
    this.listener.onHead(status, head.headers);
  }

  private bodyState(status: number, isChunked: boolean, length: number | undefined): State {
    if (this.isHead) return "over";
    if (status === 204 || status === 304) {
      // A server that frames a body here may also send it, as the beginning of the next response.
      if (isChunked || (length ?? 0) > 0) this.isReusable = false;
      return "over";
    }
    if (isChunked) return "chunk-size";
    if (length === undefined) this.isReusable = false;
    if (length === undefined) return "until-end";
    this.remaining = length;
    return length === 0 ? "over" : "body";
  }

  private takeChunkSize(line: string, head: ResponseHead): void {
    const [, size, extension] = chunkLine.exec(line) ?? [];
    if (size === undefined || extension === undefined) throw notHttp("HPE_INVALID_CHUNK_SIZE");
    head.count(extension.length);
    this.remaining = Number.parseInt(size, 16);
    this.state = this.remaining === 0 ? "trailers" : "chunk";
  }

  private takeChunkEnd(line: string): void {
    if (line !== "") throw notHttp("HPE_STRICT");
    this.state = "chunk-size";
  }
}
