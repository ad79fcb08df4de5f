// Bytes as a suite writes them: text, base64 and repetitions, so that ten megabytes are one short line.

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

/** The bytes in chunks, the last one perhaps shorter. */
export function* cut(bytes: Buffer, chunkBytes: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
