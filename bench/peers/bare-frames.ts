// What one would write without a library: a 4-byte length and JSON, straight on a socket, with no
// limits, no checks and no backpressure. The yardstick for what ours costs.

import type { Socket } from "node:net";

export function writeBareFrame(socket: Socket, message: unknown): void {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.write(text, 4);
  socket.write(frame);
}

export function readBareFrames(socket: Socket, onMessage: (message: unknown) => void): void {
  let unread: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= 4) {
      const end = 4 + unread.readUInt32BE(0);
      if (unread.length < end) return;
      const text = unread.toString("utf8", 4, end);
      unread = unread.subarray(end);
      onMessage(JSON.parse(text));
    }
  });
}
