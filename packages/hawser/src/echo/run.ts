// `hawser echo`: the echo protocol on stdin and stdout, or for every connection of a session socket. Both end as every
// process of ours does: nothing new starts, what runs gets a while, is then cancelled with its one answer, files disappear,
// exit code 0; a second signal ends it at once.

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

const runEchoSocket = (options: Pick<ServeEchoOptions, "workers" | "queueSize">): Promise<void> =>
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
