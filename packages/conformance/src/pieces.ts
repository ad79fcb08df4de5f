// Bytes as a suite writes them: text, base64 and repetitions, so that ten megabytes are one short line. Also frames of the bridge's
// socket, a four-byte length and the text, for bytes that our encoder would never write.

/** The text or the base64 bytes, `times` times in a row. */
export interface Piece {
  readonly utf8?: string;
  readonly base64?: string;
  readonly times?: number;
}

export type Pieces = Piece | readonly Piece[];

export const toBytes = (pieces: Pieces): Buffer =>
  Buffer.concat(
    [pieces].flat().map(({ utf8 = "", base64, times = 1 }) => {
      const once = base64 === undefined ? Buffer.from(utf8) : Buffer.from(base64, "base64");
      return once.length === 0 ? once : Buffer.alloc(once.length * times, once);
    }),
  );

/** The bytes in chunks; the last one may be shorter. */
export function* cut(bytes: Buffer, chunkBytes: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

// --- frames

export const maxMessageBytes = 10_485_760;

/** The four bytes that announce a frame of this length. */
export function header(bytes: number): Piece {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return { base64: length.toString("base64") };
}

/** A frame of exactly these bytes. */
export const frame = (...pieces: readonly Piece[]): readonly Piece[] => [header(toBytes(pieces).length), ...pieces];

export const textFrame = (text: string): readonly Piece[] => frame({ utf8: text });

/** A frame of `bytes` bytes: the text, with spaces before its last character. */
export function paddedFrame(text: string, bytes: number): readonly Piece[] {
  const end = text.length - 1;
  return [header(bytes), { utf8: text.slice(0, end) }, { utf8: " ", times: bytes - Buffer.byteLength(text) }, { utf8: text.slice(end) }];
}
