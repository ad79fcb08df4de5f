// Listening on a session's socket. It is bound inside the private directory, made 0600 and published under its contract name only
// when it already accepts connections: another user can't connect at any moment, and a client finds no name that does not
// answer. On Windows the same function listens on a named pipe and makes no files.

import fs from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "../limits.ts";
import { logLine } from "../log.ts";
import type { SessionFiles } from "./session-files.ts";
import { sweepLeftovers } from "./leftovers.ts";

export interface ListenOptions {
  readonly files: SessionFiles;
  onConnection(socket: Socket): void;
  readonly maxConnections?: number | undefined;
  /** Sent to a client that is one too many, so that it learns why it is turned away. */
  readonly refusal?: Buffer | undefined;
  /** False: a process that has nothing else to do ends, although this listens. */
  readonly keepsAlive?: boolean | undefined;
}

export interface Listener {
  readonly path: string;
  readonly connections: number;
  /** Stops accepting, removes the socket's name, ends what is connected. Idempotent. */
  close(): Promise<void>;
}

export async function listenSocket(options: ListenOptions): Promise<Listener> {
  const { files } = options;
  const { socketPath, directory } = files.names;
  const isPipe = process.platform === "win32";
  const privateSocketPath = files.claimSocket();
  const free = openFileLimit() - wireLimits.reservedDescriptors;
  const maxConnections = options.maxConnections ?? Math.max(1, Math.min(wireLimits.maxConnections, free));
  const sockets = new Set<Socket>();
  const refusals = createRefusals(options.refusal, free - maxConnections);
  let isOverloaded = false;
  let closing: Promise<void> | undefined;

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    if (options.keepsAlive === false) socket.unref();
    if (sockets.size >= maxConnections) {
      if (!isOverloaded) logLine(`[hawser] ${socketPath}: ${maxConnections} connections are open; further ones are refused until some end`);
      isOverloaded = true;
      refusals.refuse(socket);
      return;
    }
    isOverloaded = false;
    sockets.add(socket);
    listener.connections = sockets.size;
    socket.once("close", () => {
      sockets.delete(socket);
      listener.connections = sockets.size;
    });
    options.onConnection(socket);
  });

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      // First the name, while the open listener still pins its inode; then the listener itself.
      files.remove();
      // Node frees a closed handle, and what hangs on it, in the next turn of its loop. A program that starts one
      // session after the other would otherwise never get to it.
      server.close(() => {
        // A socket knows its server, and V8 keeps a closed socket until its next full collection.
        server.removeAllListeners();
        setImmediate(resolve);
      });
      for (const socket of sockets) socket.destroy();
      refusals.close();
    });
    return closing;
  }

  // A plain member: an object with a getter stays until a full collection (decision 0031).
  const listener = { path: socketPath, connections: 0, close };
  try {
    await listen(server, isPipe ? socketPath : privateSocketPath);
    if (options.keepsAlive === false) server.unref();
    server.on("error", (error) => logLine(`[hawser] ${socketPath}: ${error.message}`));
    if (!isPipe) await files.publishSocket();
    await sweepLeftovers(directory);
    if (files.isRemoved) throw closedAtStart(socketPath);
  } catch (error) {
    const reason = files.isRemoved ? closedAtStart(socketPath) : error;
    await close();
    throw reason;
  }
  return listener;
}

// A client may be writing while it is refused, and a connection that closes under its hands would
// keep the refusal from it. So it stays open for a moment, and what it sends is dropped. Where
// descriptors are scarce only the latest few do, out of those that connections leave free.
function createRefusals(refusal: Buffer | undefined, freeDescriptors: number) {
  const maxLingering = Math.max(wireLimits.reservedDescriptors / 8, Math.min(wireLimits.maxConnections, freeDescriptors));
  const lingering = new Set<Socket>();

  function destroy(socket: Socket): void {
    lingering.delete(socket);
    socket.destroy();
  }

  return {
    refuse(socket: Socket): void {
      const timer = setTimeout(destroy, wireLimits.closeFlushMs, socket);
      lingering.add(socket);
      socket.once("close", () => {
        clearTimeout(timer);
        lingering.delete(socket);
      });
      socket.resume().end(refusal ?? "");
      const [oldest] = lingering;
      if (oldest && lingering.size > maxLingering) destroy(oldest);
    },
    close(): void {
      for (const socket of lingering) socket.destroy();
    },
  };
}

function closedAtStart(socketPath: string): HawserError {
  return new HawserError("closed", `${socketPath} was closed while it was being started`, { facts: { path: socketPath } });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: in a worker of a cluster the socket would otherwise belong to the primary process.
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** How many descriptors this process may have; where the system doesn't say, more than we ask for. */
function openFileLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(fs.readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
