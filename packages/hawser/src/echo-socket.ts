// Serves the echo protocol on a fresh session socket until the process is told to stop or its parent
// is gone. Ends as every process of ours does: nothing new starts, what runs gets a while, is then
// cancelled with its one answer, the files disappear, exit code 0; a second signal ends it at once.

import type { Socket } from "node:net";
import { describeThrown, HawserError, limits } from "@hawser/wire";
import {
  createSessionFiles,
  createSessionNames,
  createStreamTransport,
  lengthPrefix,
  listenSocket,
  logLine,
  serveEcho,
  watchParent,
  type Lifecycle,
  type ServeEchoOptions,
} from "@hawser/wire/node";

interface Connection {
  readonly stopping: AbortController;
  readonly cancelling: AbortController;
  readonly served: Promise<void>;
}

const secondSignalExitCode = 143;
const toldToStop = "the process was told to stop";

export async function runEchoSocket(options: Pick<ServeEchoOptions, "workers" | "queueSize">): Promise<void> {
  const connections = new Set<Connection>();
  const stop = whenToldToStop();
  const listener = await listenSocket({
    files: createSessionFiles(createSessionNames()),
    onConnection(socket) {
      const connection = serveConnection(socket, options);
      connections.add(connection);
      void connection.served.finally(() => connections.delete(connection));
    },
  });
  // Nobody may read the path; that is no reason to stop serving.
  process.stdout.on("error", () => {});
  process.stdout.write(`${listener.path}\n`);
  await stop;
  for (const { stopping } of connections) stopping.abort(new HawserError("cancelled", `not started: ${toldToStop}`));
  await whenServed(connections, limits.signalGraceMs);
  for (const { cancelling } of connections) cancelling.abort(new HawserError("cancelled", `cancelled: ${toldToStop}`));
  await whenServed(connections, limits.cancelGraceMs);
  await listener.close();
}

// Signals of its own for every connection: listeners on shared ones would outlive their connection.
function serveConnection(socket: Socket, options: Pick<ServeEchoOptions, "workers" | "queueSize">): Connection {
  const stopping = new AbortController();
  const cancelling = new AbortController();
  const lifecycle: Lifecycle = { stopping: stopping.signal, cancelling: cancelling.signal, cause: undefined };
  const { frameDeadlineMs } = limits;
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix, frameDeadlineMs });
  const served = serveEcho(transport, { ...options, lifecycle })
    .catch((error: unknown) => logLine(`[hawser] echo: ${describeThrown(error)}`))
    .then(() => transport.close());
  return { stopping, cancelling, served };
}

function whenToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (++signals > 1) process.exit(secondSignalExitCode);
        resolve();
      });
    }
    watchParent(resolve);
  });
}

async function whenServed(connections: ReadonlySet<Connection>, graceMs: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, graceMs);
  await Promise.race([Promise.all([...connections].map(({ served }) => served)), timeout.promise]);
  clearTimeout(timer);
}
