// Hosts of a child that streams: one on our transport, one that splits lines by hand. Each sends a
// request and counts the pieces that come before its end.

import { createStreamTransport, ndjson, type PipedChild } from "@hawser/wire/node";

export interface StreamRequest {
  readonly id: string;
  readonly kind: "stream";
  readonly count: number;
  readonly bytes: number;
}

/** Sends one request and resolves with the number of pieces when its end has come. */
export type RequestStream = (request: StreamRequest) => Promise<number>;

interface StreamAnswer {
  readonly type: string;
}

export function createTransportHost({ stdin, stdout }: PipedChild): RequestStream {
  const transport = createStreamTransport({ readable: stdout, writable: stdin, codec: ndjson });
  const incoming = transport.incoming[Symbol.asyncIterator]();
  return async (request) => {
    await transport.send(request);
    for (let pieces = 0; ; pieces++) {
      const { value: item, done } = await incoming.next();
      if (done || item.kind === "refused") throw new Error("the stream broke off");
      if ((item.value as StreamAnswer).type !== "piece") return pieces;
    }
  };
}

export function createBareHost({ stdin, stdout }: PipedChild): RequestStream {
  let tail = "";
  let pieces = 0;
  let onDone: (pieces: number) => void = () => {};
  stdout.setEncoding("utf8");
  stdout.on("data", (chunk: string) => {
    const lines = (tail + chunk).split("\n");
    tail = lines.pop() ?? "";
    for (const line of lines) {
      if ((JSON.parse(line) as StreamAnswer).type === "piece") pieces++;
      else onDone(pieces);
    }
  });
  return (request) =>
    new Promise((resolve) => {
      pieces = 0;
      onDone = resolve;
      stdin.write(`${JSON.stringify(request)}\n`);
    });
}
