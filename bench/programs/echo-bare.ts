// Echoes every frame with nothing but node:net and JSON.
// Argument: a directory for the socket. Prints its path when it is ready.

import { createServer } from "node:net";
import { join } from "node:path";
import { readBareFrames, writeBareFrame } from "../peers/bare-frames.ts";
import { argument, serveUntilInputEnds } from "./serve-until-input-ends.ts";

const path = join(argument(), "bare.sock");
const server = createServer((socket) => {
  socket.on("error", () => {});
  readBareFrames(socket, (message) => writeBareFrame(socket, message));
});
server.listen(path, () => serveUntilInputEnds(path, () => void server.close()));
