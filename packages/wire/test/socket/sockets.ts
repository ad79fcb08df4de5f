// What the socket tests share: sessions in a given directory, dead sockets as a killed process leaves
// them, ages without waiting, and a client that sends a line and waits for one.

import fs from "node:fs";
import { createServer, type Socket } from "node:net";
import { connectSocket } from "../../src/socket/connect.ts";
import { listenSocket, type Listener, type ListenOptions } from "../../src/socket/listen.ts";
import { createSessionNames, type SessionNames } from "../../src/socket/names.ts";
import { createSessionFiles, type SessionFiles } from "../../src/socket/session-files.ts";

export interface Session {
  readonly names: SessionNames;
  readonly files: SessionFiles;
  readonly listener: Listener;
}

/** Starts a session as a program does: files, schema, socket. Leaves nothing behind when a step throws. */
export async function startSession(names: SessionNames, options: Partial<ListenOptions> & { schema?: string } = {}): Promise<Session> {
  const files = createSessionFiles(names);
  try {
    if (options.schema !== undefined) files.publishSchema(options.schema);
    const listener = await listenSocket({ files, onConnection: echo, ...options });
    return { names, files, listener };
  } catch (error) {
    files.remove();
    throw error;
  }
}

export const namesIn = (directory: string, uuid?: string): SessionNames =>
  createSessionNames({ directories: [directory], ...(uuid === undefined ? {} : { uuid }) });

/** Gives every byte back, and ends when the client does. */
export function echo(socket: Socket): void {
  socket.pipe(socket);
}

/** Sends a line on a connection and resolves with the line that comes back. */
export function ask(socket: Socket, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const onData = (chunk: Buffer): void => {
      answer += chunk.toString();
      if (answer.endsWith("\n")) settle(() => resolve(answer.trimEnd()));
    };
    const onClose = (): void => settle(() => reject(new Error("closed before an answer")));
    const settle = (action: () => void): void => {
      socket.off("data", onData).off("close", onClose).off("end", onClose);
      action();
    };
    socket.on("data", onData).on("close", onClose).on("end", onClose);
    socket.write(`${line}\n`);
  });
}

/** Connects, asks once, and leaves. */
export async function askOnce(path: string, line = "hello"): Promise<string> {
  const socket = await connectSocket(path);
  socket.on("error", () => {});
  try {
    return await ask(socket, line);
  } finally {
    socket.destroy();
  }
}

/** Leaves a socket file at the path on which nobody listens, as a killed process does. */
export async function plantDeadSocket(path: string): Promise<void> {
  const server = createServer();
  const bound = `${path}.p`;
  await new Promise<void>((resolve) => server.listen(bound, resolve));
  fs.linkSync(bound, path);
  // Node removes only the name that it bound itself.
  await new Promise((resolve) => server.close(resolve));
}

/** Makes a file look as old as that, without following a symbolic link. */
export function makeOld(path: string, ageMs: number): void {
  const then = (Date.now() - ageMs) / 1000;
  fs.lutimesSync(path, then, then);
}

export const hourMs = 3_600_000;
export const permissionsOf = (path: string): string => (fs.lstatSync(path).mode & 0o7777).toString(8);
