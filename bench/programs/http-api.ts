// The HTTP API behind the gateway's rows: answers every path with its own name, and below /large with
// so many kilobytes. Prints its address when it is ready.
//   http-api.ts [milliseconds that an answer takes, none unless given]

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveUntilInputEnds } from "./serve-until-input-ends.ts";

const delayMs = Number(process.argv[2] ?? 0);
const kilobyte = "x".repeat(1_000);

const server = createServer((request, response) => {
  const { url = "" } = request;
  const [, kilobytes] = /^\/large\/(\d+)/.exec(url) ?? [];
  const body = kilobytes === undefined ? JSON.stringify({ path: url }) : kilobyte.repeat(Number(kilobytes));
  const answer = (): void => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  };
  if (delayMs > 0) setTimeout(answer, delayMs);
  else answer();
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serveUntilInputEnds(url, () => server.closeAllConnections());
});
