// Listening on a session's socket. The socket is bound inside the private directory, made 0600 and
// published under its contract name only when it already accepts connections: there is no moment
// at which another user could connect, or a client find a name that does not answer. On Windows
// the same function listens on a named pipe and makes no files.

import fs from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { limits } from "../limits.ts";
import { logLine } from "../log.ts";
import { checkSocketPath } from "./names.ts";
import type { SessionFiles } from "./session-files.ts";
import { sweepLeftovers } from "./sweep.ts";

export interface ListenOptions {
  readonly files: SessionFiles;
  onConnection(socket: Socket): void;
  readonly maxConnections?: number | undefined;
  /** Sent to a client that is one too many, so that it learns why it is turned away. */
  readonly refusal?: Buffer | undefined;
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
  checkSocketPath(socketPath);
  checkSocketPath(files.privateSocketPath);
  const maxConnections = options.maxConnections ?? defaultMaxConnections();
  const sockets = new Set<Socket>();
  let isOverloaded = false;
  let closing: Promise<void> | undefined;

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    if (sockets.size >= maxConnections) {
      if (!isOverloaded) logLine(`[hawser] ${socketPath}: ${maxConnections} connections are open; further ones are refused until some end`);
      isOverloaded = true;
      socket.end(options.refusal ?? "", () => socket.destroy());
      return;
    }
    isOverloaded = false;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    options.onConnection(socket);
  });
  // Behind our own polite refusal: never so many that no descriptor is left for it.
  server.maxConnections = maxConnections + limits.reservedDescriptors / 4;

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      // First the name, while the open listener still pins its inode; then the listener itself.
      files.remove();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  }

  try {
    await listen(server, isPipe ? socketPath : files.privateSocketPath);
    server.on("error", (error) => logLine(`[hawser] ${socketPath}: ${error.message}`));
    if (!isPipe) await files.publishSocket();
    await sweepLeftovers(directory);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    path: socketPath,
    get connections() {
      return sockets.size;
    },
    close,
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Connections we may hold and still leave descriptors for whatever the program does. */
function defaultMaxConnections(): number {
  return Math.max(1, Math.min(limits.maxConnections, openFileLimit() - limits.reservedDescriptors));
}

function openFileLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(fs.readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
