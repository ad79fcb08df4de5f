// One request and its one response over a connection; the body goes to a sink at the pace at which it is taken. A sink that has
// enough ends the exchange and the connection, and so does an interruption: then not a byte of a waiting request is written.

import { HawserError, toHawserError } from "@hawser/protocol";
import type { ConnectTimes } from "./connect-times.ts";
import type { Connections, Flow, ResponseHeaders, Sender, WireRequest } from "./connections.ts";
import { createContentDecoder, parseContentEncoding, type ContentDecoder } from "./content-decoder.ts";
import type { Interruptible, Interruption } from "./interruption.ts";

/** Takes the decoded body. `false`: enough; a promise: wait for it. */
export interface BodySink {
  write(chunk: Buffer): boolean | Promise<void>;
}

/** Moments in milliseconds since the exchange began. */
export interface ExchangeTimes {
  connection?: ConnectTimes | undefined;
  /** From here on a byte of the request may be on its way. */
  isSent?: true;
  /** When the whole request was handed to the connection. */
  writtenMs?: number;
  firstByteMs?: number;
  endMs?: number;
}

export interface ExchangeOptions {
  readonly connections: Connections;
  readonly interruption: Interruption;
  /** Called once, with the final status. */
  open(status: number, headers: ResponseHeaders): BodySink;
  readonly times: ExchangeTimes;
}

/** Resolves when the body ended or the sink had enough. Rejects with a HawserError or what the HTTP client says. */
export function exchange(request: WireRequest, options: ExchangeOptions): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const running = new Exchange(options, resolve, reject);
    options.interruption.attach(running);
    if (!running.isOver()) options.connections.dispatch(request, running);
  });
}

// A class, since each of many thousand calls has one: a closure for each of its methods would cost as much as the rest of it.
class Exchange implements Sender, Interruptible {
  private readonly startedAt = performance.now();
  private flow: Flow | undefined;
  private ended: { readonly error: Error | undefined } | undefined;
  private sink: BodySink | undefined;
  private decoder: ContentDecoder | undefined;
  private readonly options: ExchangeOptions;
  private readonly resolve: () => void;
  private readonly reject: (error: Error) => void;

  constructor(options: ExchangeOptions, resolve: () => void, reject: (error: Error) => void) {
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
  }

  isOver(): boolean {
    return this.ended !== undefined;
  }

  interrupt(reason: HawserError): void {
    this.drop(reason);
  }

  refuse(error: Error): void {
    this.settle(error);
  }

  onRequestStart(flow: Flow): void {
    const { times, connections } = this.options;
    this.flow = flow;
    if (this.ended) return flow.abort(this.ended.error ?? enough());
    times.connection = connections.freshConnection();
    times.isSent = true;
  }

  onRequestWritten(): void {
    if (!this.ended) this.options.times.writtenMs = this.elapsed();
  }

  onResponseStart(_flow: Flow, status: number, headers: ResponseHeaders): void {
    if (status < 200 || this.ended) return;
    this.options.times.firstByteMs = this.elapsed();
    try {
      this.sink = this.options.open(status, headers);
      const codings = parseContentEncoding(headers["content-encoding"]?.toString());
      if (codings !== undefined) this.decoder = this.openDecoder(codings);
    } catch (error) {
      this.drop(toHawserError(error));
    }
  }

  onResponseData(flow: Flow, chunk: Buffer): void {
    if (this.ended) return;
    if (!this.decoder) this.take(chunk);
    else if (!this.decoder.write(chunk)) flow.pause();
  }

  onResponseEnd(): void {
    this.flow = undefined;
    if (this.decoder && !this.ended) this.decoder.end();
    else this.settle(undefined);
  }

  onResponseError(_flow: Flow, error: Error): void {
    this.flow = undefined;
    this.settle(error);
  }

  private elapsed(): number {
    return performance.now() - this.startedAt;
  }

  private openDecoder(codings: readonly string[]): ContentDecoder {
    return createContentDecoder(codings, {
      onData: (chunk) => this.take(chunk),
      onEnd: () => this.settle(undefined),
      onDrain: () => this.flow?.resume(),
      onError: (error) => this.drop(error),
    });
  }

  private take(chunk: Buffer): void {
    const verdict = this.sink?.write(chunk);
    if (verdict === false) this.drop(undefined);
    if (!(verdict instanceof Promise)) return;
    (this.decoder ?? this.flow)?.pause();
    verdict.then(
      // In a turn of its own: a sink that is ready before this turn ends would have it read on and on.
      () => setImmediate(() => this.ended ?? (this.decoder ?? this.flow)?.resume()),
      (error: unknown) => this.drop(toHawserError(error)),
    );
  }

  private drop(error: Error | undefined): void {
    this.settle(error);
    this.flow?.abort(error ?? enough());
  }

  private settle(error: Error | undefined): void {
    if (this.ended) return;
    this.ended = { error };
    this.options.times.endMs = this.elapsed();
    this.options.interruption.attach(undefined);
    this.decoder?.destroy();
    if (error) this.reject(error);
    else this.resolve();
  }
}

const enough = (): HawserError => new HawserError("cancelled", "the rest of the body is not needed");
