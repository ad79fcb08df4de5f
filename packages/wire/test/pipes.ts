// Real media for the tests: a pair of connected Unix sockets, a pair on loopback, two in-memory
// streams, a child's pipes. Everything is torn down when the test that asked for it has finished.

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Duplex, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { startNode, type PipedChild } from "../../../test/kit/node-programs.ts";

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "hawser-wire-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Two connected Unix sockets that stay half-open when the other side ends. */
export async function unixPair(): Promise<[Socket, Socket]> {
  const path = join(temporaryDirectory(), "s");
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return pairOf(server, connect({ path, allowHalfOpen: true }));
}

/** Two connected TCP sockets on loopback: the only ones that can be reset. */
export async function tcpPair(): Promise<[Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return pairOf(server, connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
}

async function pairOf(server: Server, client: Socket): Promise<[Socket, Socket]> {
  const [accepted] = await Promise.all([
    new Promise<Socket>((resolve) => server.once("connection", resolve)),
    new Promise<void>((resolve) => client.once("connect", resolve)),
  ]);
  onTestFinished(() => {
    for (const socket of [client, accepted]) socket.on("error", () => {}).destroy();
    server.close();
  });
  return [client, accepted];
}

export interface Streams {
  readonly readable: Readable;
  readonly writable: Writable;
}

/** Both directions as separate in-memory streams: what one side writes, the other reads. */
export function passThroughPair(): [Streams, Streams] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    { readable: back, writable: there },
    { readable: there, writable: back },
  ];
}

export const bothWays = (duplex: Duplex): Streams => ({ readable: duplex, writable: duplex });

/** Starts a program of the fixtures folder with three pipes. */
export function startFixture(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): PipedChild {
  const program = fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
  return startNode([program, ...args], env);
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
