// The client's side of the echo protocol: requests with ids of their own, every one settled exactly
// once, also when the server dies. Reading can be halted, to see what a stalled reader does.

import {
  createPendingTable,
  HawserError,
  toHawserError,
  type EchoRequest,
  type EchoResponse,
  type ErrorCode,
  type Transport,
} from "@hawser/wire";

type WithoutId<Request> = Request extends unknown ? Omit<Request, "id"> : never;

/** A request without its id, which the client gives it. */
type EchoCall = WithoutId<EchoRequest>;

// A tour must not hang: what takes longer than this is not worth showing.
const longestWaitMs = 60_000;

// No request has this id, so it is free for answers that carry none.
const strayId = "";

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
  let reading: Promise<void> = Promise.resolve();
  let lastId = 0;

  function receive(response: EchoResponse): void {
    if (response.id === undefined) {
      pending.resolve(strayId, response);
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

  // Whoever asks may look at the answer later, or never: the tour is interrupted between the two.
  function wait(id: string, onEvent?: (piece: EchoResponse) => void): Promise<EchoResponse> {
    const answer = pending.wait(id, { totalMs: longestWaitMs, ...(onEvent && { onEvent }) });
    answer.catch(() => {});
    return answer;
  }

  return {
    call(request, { id = `c${++lastId}`, onPiece } = {}) {
      const answer = wait(id, onPiece);
      transport.send({ id, ...request }).catch((error: unknown) => pending.reject(id, toHawserError(error)));
      return answer;
    },
    nextStray: () => wait(strayId),
    haltReading() {
      const halt = Promise.withResolvers<void>();
      reading = halt.promise;
      return halt.resolve;
    },
  };
}
