// A real HTTP proxy on loopback that leads every request and every tunnel to one server, whatever host is asked for,
// and remembers what it was asked: so a test can use names and addresses that exist nowhere.

import { createServer, request as startRequest, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface ProxyStub {
  readonly url: string;
  readonly host: string;
  /** Request lines, oldest first: `GET http://…`, `CONNECT host:port`. */
  readonly asked: readonly string[];
  readonly headers: readonly IncomingMessage["headers"][];
  /** Every byte that came through tunnels from the client. */
  readonly tunnelled: () => Buffer;
}

/** `refusal` is a status that it answers instead. */
export async function startProxy(port: number, refusal?: number): Promise<ProxyStub> {
  const asked: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers: given }: IncomingMessage): void => {
    asked.push(`${method} ${url}`);
    headers.push(given);
  };
  const server = createServer((incoming, response) => {
    note(incoming);
    if (refusal !== undefined) {
      response.writeHead(refusal).end("the proxy says no");
      return;
    }
    const { pathname, search } = new URL(incoming.url ?? "");
    const options = { host: "127.0.0.1", port, method: incoming.method, path: pathname + search, headers: incoming.headers };
    const onward = startRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    note(incoming);
    client.on("error", () => undefined);
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.on("data", (chunk: Buffer) => chunks.push(chunk));
      client.pipe(onward).pipe(client);
    });
    onward.on("error", () => client.destroy());
    client.on("close", () => onward.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, asked, headers, tunnelled: () => Buffer.concat(chunks) };
}
