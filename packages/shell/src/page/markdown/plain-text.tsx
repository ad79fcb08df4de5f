// A text as it is. A long one is drawn in pieces that end with a line, so that what grows at its end costs the
// same however much stands before it.

import { memo } from "react";

const pieceChars = 8_000;

export function PlainText({ text }: { readonly text: string }) {
  return (
    <div className="answer">
      {toPieces(text).map((piece, at) => (
        <Piece key={at} text={piece} />
      ))}
    </div>
  );
}

const Piece = memo(function Piece({ text }: { readonly text: string }) {
  return <p className="lazy-paint mt-0! whitespace-pre-wrap">{text}</p>;
});

/** Cut after a line's end where there is one; those before the last never change when more comes. */
export function toPieces(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > pieceChars) {
    const lineEnd = text.indexOf("\n", start + pieceChars - 1);
    // A line that does not end soon is cut; the next piece begins a new one on the screen.
    const end = lineEnd >= 0 && lineEnd < start + 2 * pieceChars ? lineEnd + 1 : start + 2 * pieceChars;
    if (end > text.length) break;
    pieces.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}
