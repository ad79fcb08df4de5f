// The client's side of the echo protocol: requests with ids of their own, every one settled exactly
// once, also when the server dies. Reading can be halted, to see what a stalled reader does.

import { createPendingTable, HawserError, toHawserError, type EchoResponse, type ErrorCode, type Transport } from "@hawser/wire";

/** A request without its id, which the client gives it. */
type EchoCall =
  | { readonly kind: "echo"; readonly value: unknown }
  | { readonly kind: "sleep"; readonly ms: number }
  | { readonly kind: "stream"; readonly count: number; readonly bytes: number }
  | { readonly kind: "cancel"; readonly target: string }
  | { readonly kind: "status" };

export interface EchoClient {
  /** Sends the request; resolves with its last answer, rejects with its error or when the server is gone. */
  call(request: EchoCall, options?: { id?: string; onPiece?(piece: EchoResponse): void }): Promise<EchoResponse>;
  /** The next answer that carries no id: what the server says to bytes that it could not read. */
  nextStray(): Promise<EchoResponse>;
  /** Stops taking messages until the returned function is called. */
  haltReading(): () => void;
}

export function createEchoClient(transport: Transport, describeEnd: () => Promise<string>): EchoClient {
  const pending = createPendingTable<EchoResponse, EchoResponse>();
  let strayWaiters: ((response: EchoResponse) => void)[] = [];
  let reading: Promise<void> = Promise.resolve();
  let lastId = 0;

  function receive(response: EchoResponse): void {
    if (response.id === undefined) {
      const waiters = strayWaiters;
      strayWaiters = [];
      for (const resolve of waiters) resolve(response);
    } else if (response.type === "piece") {
      pending.event(response.id, response);
    } else if (response.type === "error") {
      pending.reject(response.id, new HawserError(response.code as ErrorCode, response.error));
    } else {
      pending.resolve(response.id, response);
    }
  }

  async function readAll(): Promise<void> {
    for await (const item of transport.incoming) {
      await reading;
      if (item.kind === "message") receive(item.value as EchoResponse);
    }
    pending.close(new HawserError("connection_lost", await describeEnd()));
  }
  void readAll();

  return {
    call(request, { id = `c${++lastId}`, onPiece } = {}) {
      const answer = pending.wait(id, onPiece ? { onEvent: onPiece } : {});
      transport.send({ id, ...request }).catch((error: unknown) => pending.reject(id, toHawserError(error)));
      return answer;
    },
    nextStray: () => new Promise((resolve) => strayWaiters.push(resolve)),
    haltReading() {
      const halt = Promise.withResolvers<void>();
      reading = halt.promise;
      return halt.resolve;
    },
  };
}
