// One request and its one response over the pool; the body goes to a sink at the pace at which it is taken. A sink that has
// enough ends the exchange and the connection, and so does an interruption: then not a byte of a waiting request is written.

import { HawserError, toHawserError } from "@hawser/protocol";
import type { Dispatcher } from "undici";
import type { ConnectionPool, ConnectTimes, Sender } from "./connection-pool.ts";
import { createContentDecoder, parseContentEncoding, type ContentDecoder } from "./content-decoder.ts";
import type { Interruption } from "./interruption.ts";

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

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
  readonly pool: ConnectionPool;
  readonly interruption: Interruption;
  /** Called once, with the final status. */
  open(status: number, headers: ResponseHeaders): BodySink;
  readonly times: ExchangeTimes;
}

const settled = Promise.resolve();

/** Resolves when the body ended or the sink had enough. Rejects with a HawserError or what undici says. */
export function exchange(request: Dispatcher.DispatchOptions, options: ExchangeOptions): Promise<void> {
  const { pool, interruption, times } = options;
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  return new Promise<void>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let ended: { readonly error: Error | undefined } | undefined;
    let sink: BodySink | undefined;
    let decoder: ContentDecoder | undefined;

    function settle(error: Error | undefined): void {
      if (ended) return;
      ended = { error };
      times.endMs = elapsed();
      interruption.attach(undefined);
      decoder?.destroy();
      if (error) reject(error);
      else resolve();
    }
    function drop(error: Error | undefined): void {
      settle(error);
      controller?.abort(error ?? enough());
    }
    function take(chunk: Buffer): void {
      const verdict = sink?.write(chunk);
      if (verdict === false) drop(undefined);
      if (!(verdict instanceof Promise)) return;
      (decoder ?? controller)?.pause();
      verdict.then(
        // In a turn of its own: a sink that is ready before this turn ends would have undici read on and on in it.
        () => setImmediate(() => ended ?? (decoder ?? controller)?.resume()),
        (error: unknown) => drop(toHawserError(error)),
      );
    }
    interruption.attach(drop);
    if (ended) return;
    const sender: Sender = {
      connection: undefined,
      isOver: () => ended !== undefined,
      refuse: settle,
      onRequestStart(started) {
        controller = started;
        if (ended) return started.abort(ended.error ?? enough());
        times.connection = pool.freshConnection();
        times.isSent = true;
        // undici writes the whole request behind this call, in the same turn. Cheaper than `queueMicrotask`, which makes an async resource each time.
        void settled.then(() => (times.writtenMs = elapsed()));
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200 || ended) return;
        times.firstByteMs = elapsed();
        try {
          sink = options.open(status, headers);
          const codings = parseContentEncoding(headers["content-encoding"]?.toString());
          if (codings === undefined) return;
          const onDrain = (): void => controller?.resume();
          decoder = createContentDecoder(codings, { onData: take, onEnd: () => settle(undefined), onDrain, onError: drop });
        } catch (error) {
          drop(toHawserError(error));
        }
      },
      onResponseData(started, chunk) {
        if (ended) return;
        if (!decoder) take(chunk);
        else if (!decoder.write(chunk)) started.pause();
      },
      onResponseEnd() {
        free(sender, false);
        if (decoder && !ended) decoder.end();
        else settle(undefined);
      },
      onResponseError(_controller, error) {
        settle(error);
        free(sender, true);
      },
    };
    pool.dispatch(request, sender);
  });
}

function free(sender: Sender, isBroken: boolean): void {
  const { connection } = sender;
  sender.connection = undefined;
  connection?.release(isBroken);
}

const enough = (): HawserError => new HawserError("cancelled", "the rest of the body is not needed");
