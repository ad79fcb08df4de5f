// A connection that sends bytes of the test's own choice: what no well-behaved client would.

import { connect, type Socket } from "node:net";

export interface RawSocket extends Disposable {
  readonly socket: Socket;
  /** All that came, a character per byte. */
  received(): string;
  /** Resolves when the other side has closed; to the first line that came. */
  readonly closed: Promise<string>;
  /** Resolves to what came, once it holds this; rejects when the other side has closed before. */
  next(text: string): Promise<string>;
}

export async function openRaw(port: number, bytes: string | Buffer = ""): Promise<RawSocket> {
  // Half open: it is the server that has to close.
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  const listeners = new Set<() => void>();
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    for (const listener of listeners) listener();
  });
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => resolve(firstLine(received)));
    socket.on("end", () => resolve(firstLine(received)));
    socket.on("close", () => resolve(firstLine(received)));
  });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.write(bytes);
  return {
    socket,
    closed,
    received: () => received,
    next: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!received.includes(text)) return;
          listeners.delete(look);
          resolve(received);
        };
        listeners.add(look);
        look();
        void closed.then((line) => reject(new Error(`closed after "${line}", before ${text} came`)));
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The status of the answer to a request by hand; 0 when there was none. */
export async function statusOf(port: number, head: string): Promise<number> {
  using raw = await openRaw(port, head);
  raw.socket.setTimeout(20_000, () => raw.socket.destroy());
  // Without an answer there is no line to wait for.
  await raw.next("\r\n").catch(() => undefined);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(raw.received())?.[1] ?? 0);
}

const firstLine = (text: string): string => text.split("\r\n", 1)[0] ?? "";

export interface Door {
  readonly port: number;
  readonly credential: string;
}

const siteHeaders = ({ port }: Door): string => `Host: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n`;

/** Of the page's own requests. */
export const ownHeaders = (door: Door): string => `${siteHeaders(door)}Authorization: Bearer ${door.credential}\r\n`;

/** With which the page opens its link. */
export const linkHeaders = (door: Door): string => siteHeaders(door) + toProtocolHeader(door.credential);

export const toProtocolHeader = (credential: string): string => `Sec-WebSocket-Protocol: hawser, hawser.key.${credential}\r\n`;

export const upgradeHead = (headers: string): string =>
  `GET /link HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** A tab by hand, past its handshake. */
export async function openRawTab(door: Door): Promise<RawSocket> {
  const raw = await openRaw(door.port, upgradeHead(linkHeaders(door)));
  await raw.next("\r\n\r\n");
  return raw;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 } as const;

interface FrameOptions {
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
}

/** With a mask of zeros, which changes nothing. */
export function encodeRawFrame(opcode: number, payload: string | Buffer, { isLast = true, isMasked = true }: FrameOptions = {}): Buffer {
  const body = Buffer.from(payload as string);
  const mask = isMasked ? 0x80 : 0;
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  const size =
    body.length < 126 ? [mask | body.length] : body.length < 65_536 ? [mask | 126, ...length.subarray(6)] : [mask | 127, ...length];
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...size]), Buffer.alloc(isMasked ? 4 : 0), body]);
}
