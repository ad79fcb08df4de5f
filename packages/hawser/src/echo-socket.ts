// Serves the echo protocol on a fresh session socket until the process is told to stop or its parent
// is gone. Ends as every process of ours does: nothing new starts, what runs gets a while, is then
// cancelled with its one answer, the files disappear, exit code 0; a second signal ends it at once.

import type { Socket } from "node:net";
import { describeThrown, limits, whenAborted } from "@hawser/wire";
import {
  createLifecycle,
  createSessionFiles,
  createSessionNames,
  createStreamTransport,
  endOnSignals,
  lengthPrefix,
  listenSocket,
  logLine,
  serveEcho,
  watchParent,
  type ServeEchoOptions,
} from "@hawser/wire/node";
import { printTo } from "./terminal.ts";

export async function runEchoSocket(options: Pick<ServeEchoOptions, "workers" | "queueSize">): Promise<void> {
  const lifecycle = createLifecycle();
  const serving = new Set<Promise<void>>();
  endOnSignals(lifecycle);
  watchParent(() => lifecycle.end("parent-gone", 0));
  const listener = await listenSocket({
    files: createSessionFiles(createSessionNames()),
    onConnection(socket) {
      const served = serveConnection(socket, { ...options, lifecycle });
      serving.add(served);
      void served.then(() => serving.delete(served));
    },
  });
  // A path that nobody reads is no reason to stop serving.
  printTo(process.stdout, `${listener.path}\n`);
  await whenAborted(lifecycle.stopping);
  await Promise.race([Promise.all(serving), lifecycle.overdue]);
  await listener.close();
  lifecycle.dispose();
}

/** Never rejects. */
async function serveConnection(socket: Socket, options: ServeEchoOptions): Promise<void> {
  const { frameDeadlineMs } = limits;
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix, frameDeadlineMs });
  try {
    await serveEcho(transport, options);
  } catch (error) {
    logLine(`[hawser] echo: ${describeThrown(error)}`);
  }
  await transport.close();
}
