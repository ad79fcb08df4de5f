// Who may stay when there are too many connections: pages that are in, whatever others do, and then whoever came
// last. The crowd is another program, as that of another user of the machine would be.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { shellLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { boundConnections } from "../../src/server/connections.ts";
import { openRaw, type RawSocket } from "./raw-socket.ts";
import { connectTab, enter, openServer } from "./stage.ts";

const crowdProgram = resolve(import.meta.dirname, "../fixtures/crowd.mjs");

async function gather(port: number, count: number): Promise<AsyncDisposable> {
  const crowd = spawn(process.execPath, [crowdProgram, String(port), String(count)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(crowd, "exit");
  await once(crowd.stdout, "data");
  return {
    async [Symbol.asyncDispose]() {
      crowd.stdin.end();
      await exited;
    },
  };
}

describe("a crowd of idle connections, half requests and links without a credential", () => {
  it("keeps nobody out: a page loads, gets in and connects, and one that is in goes on", async () => {
    const lines: string[] = [];
    await using stage = await openServer({ send: async (line) => void lines.push(line) });
    const { origin, door } = stage;
    const { port } = door;
    const tab = await connectTab(port, { credential: door.credential, headers: { origin } });
    await using _ = await gather(port, shellLimits.shellStrangerEntries + 200);
    for (let load = 0; load < 20; load++) {
      const [page, script] = await Promise.all([stage.fetch("/"), stage.fetch("/assets/main.js")]);
      expect([page.status, script.status]).toEqual([200, 200]);
    }
    const credential = await enter(port, stage.newKey());
    const other = await connectTab(port, { credential, headers: { origin } });
    tab.send({ id: "before the crowd" });
    other.send({ id: "in the crowd" });
    await expect.poll(() => lines).toHaveLength(2);
    await tab.next("in the crowd");
    expect([tab.socket.readyState, other.socket.readyState]).toEqual([tab.socket.OPEN, tab.socket.OPEN]);
    for (const { socket } of [tab, other]) socket.terminate();
  });
});

describe("a connection that is one too many", () => {
  it("takes the place of the oldest that has shown no credential, whatever that one does, and of no other", async () => {
    const server = createServer(({ url, socket }: IncomingMessage, response) => {
      if (url === "/own") trust(socket);
      response.end("x");
    });
    const { trust } = boundConnections(server, 2);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const open = () => openRaw((server.address() as AddressInfo).port);
    const ask = async ({ socket, next }: RawSocket, path: string) => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await next("\r\n\r\nx");
    };
    using trusted = await open();
    await ask(trusted, "/own");
    using busy = await open();
    using idle = await open();
    await ask(busy, "/");
    using third = await open();
    expect(await busy.closed).toContain("200");
    await ask(idle, "/own");
    using fourth = await open();
    // All that were closed so far have been told; the others answer.
    for (const raw of [trusted, idle, third, fourth]) await ask(raw, "/own");
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
});
