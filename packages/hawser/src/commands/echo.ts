// `hawser echo`: the echo protocol on stdin and stdout, or for every connection of a session socket.

import { lengthPrefix, ndjson, runStdio, serveEcho } from "@hawser/wire/node";
import { runEchoSocket } from "../echo-socket.ts";

export interface EchoOptions {
  readonly workers?: number;
  readonly queueSize?: number;
  readonly codec?: "ndjson" | "length-prefix";
  readonly socket?: true;
}

export async function runEcho(options: EchoOptions): Promise<void> {
  const { workers, queueSize } = options;
  if (options.socket) return runEchoSocket({ workers, queueSize });
  return runStdio({
    codec: options.codec === "length-prefix" ? lengthPrefix : ndjson,
    serve: (transport, lifecycle) => serveEcho(transport, { workers, queueSize, lifecycle }),
  });
}
