// A connection of our own to a server that speaks HTTP/1.1 without TLS and without a proxy: kept alive, one request at a time.
// A request is written at the end of the turn in which the connection got it, when everything that had come by then was
// seen, and by one that has just read its response, and is the only one, at once: on a connection that the server has closed, or has sent something on that was not asked for, it is never begun, and
// goes to another one. Once begun it ends here, whatever happens, and is not repeated.

import { type Socket, connect } from "node:net";
import { gatewayLimits } from "../limits.ts";
import { watchOpening } from "./connect-times.ts";
import type { ConnectionOwner, Flow, PooledConnection, ResponseHeaders, Sender, WireRequest } from "./connections.ts";
import { closedEarly, connectTimeout } from "./network-error.ts";
import { toRequestHead } from "./request-head.ts";
import { type ResponseListener, ResponseParser } from "./response-parser.ts";

// Asks the system to look from time to time whether the other side is still there.
const keepAliveInitialDelay = 60_000;

// A class, and its own flow and listener: there are many thousand requests, and none of them makes an object of its own here.
export class PlainConnection implements PooledConnection, Flow, ResponseListener {
  expiresAt = Infinity;
  private readonly host: string;
  private readonly owner: ConnectionOwner;
  private readonly parser: ResponseParser = new ResponseParser(this);
  private readonly socket: Socket;
  private isOpen = false;
  private isGone = false;
  /** Whether it waits for the end of the turn. */
  private isInTurn = false;
  /** While nothing more can be seen of it in this turn: its last response was just read. */
  private isFresh = false;
  private isPaused = false;
  /** While it keeps no process alive. */
  private isUnref = false;
  private request: WireRequest | undefined;
  private sender: Sender | undefined;
  /** Whether a byte of the request may be on its way. */
  private isBegun = false;

  constructor(origin: string, owner: ConnectionOwner) {
    const { host, hostname, port } = new URL(origin);
    this.host = host;
    this.owner = owner;
    const onread = {
      buffer: Buffer.allocUnsafeSlow(gatewayLimits.httpReadBytes),
      callback: (bytes: number, buffer: Uint8Array): boolean => this.onRead(bytes, buffer as Buffer),
    };
    const address = { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 80) };
    const { socket, times } = watchOpening(() => connect({ ...address, onread, noDelay: true, keepAlive: true, keepAliveInitialDelay }));
    this.socket = socket;
    const timer = setTimeout(() => socket.destroy(connectTimeout()), gatewayLimits.httpConnectMs).unref();
    socket.once("connect", () => {
      clearTimeout(timer);
      this.isOpen = true;
      owner.onOpened(times(), () => this.onEndOfTurn());
    });
    socket.on("error", (error) => this.fail(error));
    socket.once("end", () => this.onEnd());
    socket.once("close", () => {
      clearTimeout(timer);
      this.fail(closedEarly());
    });
  }

  send(request: WireRequest, sender: Sender): void {
    this.request = request;
    this.sender = sender;
    if (this.isFresh && this.owner.isOnlyOne) process.nextTick(() => this.goOnAtOnce());
    else if (this.isOpen) this.awaitEndOfTurn();
  }

  destroy(): Promise<void> {
    this.fail(closedEarly());
    return Promise.resolve();
  }

  abort(reason: Error): void {
    this.fail(reason);
  }

  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  resume(): void {
    this.goOn();
    if (this.parser.isWhole) this.finish();
  }

  onHead(status: number, headers: ResponseHeaders): void {
    this.sender?.onResponseStart(this, status, headers);
  }

  onBody(chunk: Buffer): void {
    this.sender?.onResponseData(this, chunk);
  }

  /** What the connection has to do is done once for all that happened in the turn: write, or rest. */
  onEndOfTurn(): void {
    this.isInTurn = false;
    this.isFresh = false;
    const { sender } = this;
    if (this.isGone || this.isBegun) return;
    if (!sender) return this.rest();
    if (sender.isOver()) this.giveBack();
    else this.begin(sender);
  }

  private goOnAtOnce(): void {
    if (this.isFresh && !this.isBegun && this.sender?.isOver() === false) this.begin(this.sender);
  }

  private awaitEndOfTurn(): void {
    if (this.isInTurn) return;
    this.isInTurn = true;
    this.owner.atEndOfTurn(this);
  }

  private rest(): void {
    if (!this.isUnref) this.socket.unref();
    this.isUnref = true;
    const { keptMs = Infinity } = this.parser;
    this.expiresAt = performance.now() + Math.min(gatewayLimits.httpIdleMs, keptMs - gatewayLimits.httpIdleMarginMs);
    this.owner.onRest(this);
  }

  private begin(sender: Sender): void {
    const request = this.request as WireRequest;
    let head: string;
    try {
      head = toRequestHead(request, this.host);
    } catch (error) {
      sender.refuse(error as Error);
      return this.giveBack();
    }
    if (this.isUnref) this.socket.ref();
    this.isUnref = false;
    this.isBegun = true;
    this.expiresAt = Infinity;
    this.parser.begin(request.method);
    sender.onRequestStart(this);
    // Aborted within.
    if (this.sender !== sender) return;
    this.write(head, request.body);
    sender.onRequestWritten();
  }

  private write(head: string, body: WireRequest["body"]): void {
    if (body === null) return void this.socket.write(head, "latin1");
    if (typeof body === "string") return void this.socket.write(head + body);
    this.socket.cork();
    this.socket.write(head);
    this.socket.write(body);
    this.socket.uncork();
  }

  /** False: read no more for now. */
  private onRead(bytes: number, buffer: Buffer): boolean {
    // Nothing was asked for.
    if (!this.isBegun) this.fail(closedEarly());
    if (this.isGone) return true;
    try {
      this.parser.read(buffer, bytes);
    } catch (error) {
      this.fail(error as Error);
      return true;
    }
    if (this.parser.isWhole && !this.isPaused) this.finish();
    return !this.isPaused;
  }

  private onEnd(): void {
    if (this.isBegun && this.parser.end()) this.finish();
    else this.fail(closedEarly());
  }

  private goOn(): void {
    if (this.isPaused) this.socket.resume();
    this.isPaused = false;
  }

  /** Without having begun the request. */
  private giveBack(): void {
    this.forget();
    this.owner.onFree(this);
    if (!this.sender) this.rest();
  }

  private forget(): void {
    this.request = undefined;
    this.sender = undefined;
    this.isBegun = false;
  }

  /** The response is whole. */
  private finish(): void {
    const { sender } = this;
    const { isReusable, keptMs = Infinity } = this.parser;
    if (!sender || !this.isBegun) return;
    this.forget();
    // A server that answered before it had read everything may take the rest for the next request.
    const isKept = isReusable && keptMs > gatewayLimits.httpIdleMarginMs && this.socket.writableLength === 0;
    if (isKept) {
      this.isFresh = true;
      this.awaitEndOfTurn();
      this.owner.onFree(this);
    } else this.end();
    sender.onResponseEnd();
  }

  private fail(error: Error): void {
    if (this.isGone) return;
    const { request, sender, isBegun } = this;
    this.forget();
    const isUnbegun = !isBegun && this.isOpen;
    if (sender && !isUnbegun) sender.onResponseError(this, error);
    this.end();
    if (sender && request && isUnbegun) this.owner.onUnsent(request, sender);
  }

  private end(): void {
    this.isGone = true;
    this.parser.stop();
    this.socket.destroy();
    this.owner.onGone(this);
  }
}
