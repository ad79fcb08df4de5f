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

const fixture = (name: string): string => resolve(import.meta.dirname, "../fixtures", name);

/** Runs until it is disposed of; `said` is the first that it says. */
async function run(command: string, args: readonly string[]): Promise<AsyncDisposable & { readonly said: string }> {
  const program = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(program, "exit");
  const [said] = await once(program.stdout, "data");
  return {
    said: String(said),
    async [Symbol.asyncDispose]() {
      program.stdin.end();
      await exited;
    },
  };
}

const gather = (port: number, count: number) => run(process.execPath, [fixture("crowd.mjs"), String(port), String(count)]);

describe("a crowd of idle connections, half requests and links without a credential", () => {
  it("keeps nobody out: a page loads, gets in and connects, and one that is in goes on", async () => {
    const lines: string[] = [];
    await using stage = await openServer({ send: async (line) => void lines.push(line) });
    const { origin, door } = stage;
    const { port } = door;
    const tab = await connectTab(port, { credential: door.credential, headers: { origin } });
    // Of five only three stay, the others are refused: those that stay alone are more than the server takes.
    const { shellStrangerEntries, shellConnections } = shellLimits;
    await using _ = await gather(port, 2 * (shellStrangerEntries + 4 * shellConnections));
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
    // None is closed for another reason, such as that it was idle.
    const server = createServer({ keepAliveTimeout: 0 }, ({ url, socket }: IncomingMessage, response) => {
      if (url?.startsWith("/own")) trust(socket);
      response.end(url);
    });
    const { trust } = boundConnections(server, 2);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const open = () => openRaw((server.address() as AddressInfo).port);
    const ask = async ({ socket, next }: RawSocket, path: string) => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await next(`\r\n\r\n${path}`);
    };
    using trusted = await open();
    await ask(trusted, "/own");
    using busy = await open();
    using idle = await open();
    await ask(busy, "/public");
    using third = await open();
    expect(await busy.closed).toContain("200");
    await ask(idle, "/own");
    using fourth = await open();
    // All that were closed so far have been told; the others answer.
    for (const raw of [trusted, idle, third, fourth]) await ask(raw, "/own/again");
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it("takes it also where the process may open few files: half of them are kept for pages", async (context) => {
    if (process.platform !== "linux") context.skip("only Linux says how many files a process may open");
    const server = [process.execPath, "--conditions=hawser-source", fixture("few-files.ts")];
    await using few = await run("sh", ["-c", 'ulimit -n 100; exec "$0" "$@"', ...server]);
    const port = Number(few.said);
    await using _ = await gather(port, 300);
    for (let load = 0; load < 20; load++) {
      using raw = await openRaw(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      expect(await raw.next("\r\n\r\nx")).toContain("200 OK");
    }
  });
});
