// Printing for people: colour only on a terminal that wants it, lines that fit, and a quiet end when
// the reader has gone (`hawser tour | head -3`).

import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Paints for stdout: `styleText` itself looks whether stdout is a terminal, and at NO_COLOR. */
export const paint = (format: Format, text: string): string => styleText(format, text, { stream: process.stdout });

/** Text on one line of at most `width` characters, without control characters. */
export function fitLine(text: string, width: number): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** Ends the process when nobody reads stdout any more; children are stopped by what started them. */
export function endWhenUnread(): void {
  process.stdout.on("error", () => process.exit(process.exitCode ?? 0));
}
