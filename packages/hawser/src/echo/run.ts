// `hawser echo`: the echo protocol on stdin and stdout, or for every connection of a session socket.

import type { Socket } from "node:net";
import { describeThrown } from "@hawser/protocol";
import { whenAborted, wireLimits } from "@hawser/wire/internal";
import {
  createSessionFiles,
  createSessionNames,
  createStreamTransport,
  lengthPrefix,
  listenSocket,
  logLine,
  ndjson,
  runStdio,
  runUntilStopped,
  serveEcho,
  type ServeEchoOptions,
} from "@hawser/wire/internal/node";
import { printTo } from "../command-line/output.ts";

export interface EchoOptions extends Pick<ServeEchoOptions, "workers" | "queueSize"> {
  readonly codec?: "ndjson" | "length-prefix";
  readonly socket?: true;
}

export async function runEcho(options: EchoOptions): Promise<void> {
  if (options.socket) return runEchoSocket(options);
  return runStdio({
    codec: options.codec === "length-prefix" ? lengthPrefix : ndjson,
    serve: (transport, lifecycle) => serveEcho(transport, { ...options, lifecycle }),
  });
}

const runEchoSocket = (options: EchoOptions): Promise<void> =>
  runUntilStopped(async (lifecycle) => {
    const serving = new Set<Promise<void>>();
    const listener = await listenSocket({
      files: createSessionFiles(createSessionNames()),
      onConnection(socket) {
        const served = serveConnection(socket, { ...options, lifecycle });
        serving.add(served);
        void served.then(() => serving.delete(served));
      },
    });
    // It goes on serving where the path can't be printed.
    printTo(process.stdout, `${listener.path}\n`);
    await whenAborted(lifecycle.stopping);
    await Promise.race([Promise.all(serving), lifecycle.overdue]);
    await listener.close();
  });

/** Never rejects. */
async function serveConnection(socket: Socket, options: ServeEchoOptions): Promise<void> {
  const { frameDeadlineMs } = wireLimits;
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix, frameDeadlineMs });
  try {
    await serveEcho(transport, options);
  } catch (error) {
    logLine(`[hawser] echo: ${describeThrown(error)}`);
  }
  await transport.close();
}
