// Frames of the bridge's socket, written out: a four-byte length and the text. For bytes that no
// encoder would write, or that another language's encoder writes differently.

import { toBytes, type Piece, type Pieces } from "../pieces.ts";

export const maxMessageBytes = 10_485_760;

/** The four bytes that announce so many. */
export function header(bytes: number): Piece {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return { base64: length.toString("base64") };
}

/** A frame of exactly these bytes. */
export const frame = (...pieces: readonly Piece[]): readonly Piece[] => [header(toBytes(pieces as Pieces).length), ...pieces];

export const textFrame = (text: string): readonly Piece[] => frame({ utf8: text });

/** A frame of `bytes` bytes: the text, with blanks before its last character. */
export function paddedFrame(text: string, bytes: number): readonly Piece[] {
  const end = text.length - 1;
  return [header(bytes), { utf8: text.slice(0, end) }, { utf8: " ", times: bytes - Buffer.byteLength(text) }, { utf8: text.slice(end) }];
}
