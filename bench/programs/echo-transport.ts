// Echoes every frame through our listener, transport and codec, with no protocol on top.
// Argument: a directory for the socket. Prints its path when it is ready.

import { readEach } from "@hawser/wire/internal";
import { createSessionFiles, createSessionNames, createStreamTransport, lengthPrefix, listenSocket } from "@hawser/wire/node";
import type { Socket } from "node:net";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

async function echo(socket: Socket): Promise<void> {
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  await readEach(transport.incoming, (item) => void (item.kind === "message" && transport.send(item.value)));
  await transport.close();
}

const files = createSessionFiles(createSessionNames({ directories: [argument()] }));
const listener = await listenSocket({ files, onConnection: (socket) => void echo(socket) });
serveUntilInputEnds(listener.path, () => listener.close());
