// Serves the whole echo protocol on our socket: validation, queue, cancellation.
// Argument: a directory for the socket. Prints its path when it is ready.

import {
  createSessionFiles,
  createSessionNames,
  createStreamTransport,
  lengthPrefix,
  listenSocket,
  serveEcho,
} from "@hawser/wire/internal/node";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

const files = createSessionFiles(createSessionNames({ directories: [argument()] }));
const listener = await listenSocket({
  files,
  onConnection(socket) {
    const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
    void serveEcho(transport, { workers: 16 }).then(() => transport.close());
  },
});
serveUntilInputEnds(listener.path, () => listener.close());
