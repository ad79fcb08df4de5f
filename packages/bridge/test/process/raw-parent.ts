// A parent that is not ours: a Unix socket with length-prefixed frames, written by hand after the
// contract, that answers what a test tells it to. It knows nothing of `hello` unless told.

import fs from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

/** One frame as the bridge sent it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the shape is what the tests are about
type Frame = any;

export interface ParentConnection {
  readonly socket: Socket;
  /** 1 for the first connection. */
  readonly number: number;
  send(frame: object): void;
}

export interface RawParentOptions {
  readonly schemas?: readonly object[];
  /** The socket's name in the test's directory. */
  readonly socketName?: string;
  /** What to do with a frame; by default `hello` is an unknown method. */
  onFrame(frame: Frame, connection: ParentConnection): void;
}

export interface RawParent {
  readonly socketPath: string;
  readonly schemaPath: string;
  /** A client configuration, as a session gives it. */
  readonly config: { command: string; args: readonly string[] };
  /** Every frame of every connection, in order of arrival. */
  readonly frames: readonly { readonly connection: number; readonly frame: Frame }[];
  readonly connections: readonly ParentConnection[];
  /** For tests that want the bytes. */
  readonly server: Server;
  stop(): Promise<void>;
}

export const bundledBridge: string = join(import.meta.dirname, "../../dist/bridge.cjs");
export const unknownMethod = { error: { message: "unknown method", type: "ValueError" } };
export const textAnswer = (text: string): object => ({ result: { content: [{ type: "text", text }] } });
const anyInput = { type: "object" };

export function encodeFrame(frame: object): Buffer {
  const body = Buffer.from(JSON.stringify(frame));
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(body.length);
  return Buffer.concat([prefix, body]);
}

export async function startRawParent(directory: string, options: RawParentOptions): Promise<RawParent> {
  const socketPath = join(directory, options.socketName ?? "raw.sock");
  const schemaPath = join(directory, "raw.json");
  const schemas = options.schemas ?? [{ name: "echo", description: "", input_schema: anyInput }];
  fs.writeFileSync(schemaPath, JSON.stringify(schemas), { mode: 0o600 });
  const frames: { connection: number; frame: Frame }[] = [];
  const connections: ParentConnection[] = [];
  const server = createServer((socket) => {
    const connection: ParentConnection = {
      socket: socket.on("error", () => {}),
      number: connections.length + 1,
      send: (frame) => void socket.write(encodeFrame(frame)),
    };
    connections.push(connection);
    onFrames(socket, (frame) => {
      frames.push({ connection: connection.number, frame });
      options.onFrame(frame, connection);
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    schemaPath,
    config: { command: process.execPath, args: [bundledBridge, socketPath, schemaPath] },
    frames,
    connections,
    server,
    stop: () => closeServer(server, connections),
  };
}

function onFrames(socket: Socket, onFrame: (frame: Frame) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) {
      const end = 4 + bytes.readUInt32BE();
      const frame: Frame = JSON.parse(bytes.toString("utf8", 4, end));
      bytes = bytes.subarray(end);
      onFrame(frame);
    }
  });
}

function closeServer(server: Server, connections: readonly ParentConnection[]): Promise<void> {
  for (const { socket } of connections) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
