// Answers the request "echo" through vscode-jsonrpc.
// Argument: a directory for the socket. Prints its path when it is ready.

import { createServer } from "node:net";
import { join } from "node:path";
import { createMessageConnection, SocketMessageReader, SocketMessageWriter } from "vscode-jsonrpc/node";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

const path = join(argument(), "jsonrpc.sock");
const server = createServer((socket) => {
  const connection = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  connection.onRequest("echo", (value: unknown) => value);
  connection.listen();
});
server.listen(path, () => serveUntilInputEnds(path, () => void server.close()));
