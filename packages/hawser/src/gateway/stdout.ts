// Bytes to stdout at the pace of who reads them: as they are to a pipe or a file; on a terminal as text, with what it
// would hide revealed.

import { createProseRevealer } from "@hawser/wire";
import { put } from "../output-watch.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const revealer = createProseRevealer();
let last = "";

/** Resolves when stdout has taken the bytes; rejects when it takes no more, see `isOutputError`. */
export function writeOut(chunk: Uint8Array): Promise<void> {
  return write(process.stdout.isTTY ? note(revealer.push(decoder.decode(chunk, { stream: true }))) : chunk);
}

/** On a terminal what follows would stand behind the text, or wipe it out as npx does. Elsewhere bytes stay as they came. */
export async function endLine(): Promise<void> {
  if (!process.stdout.isTTY) return;
  const rest = note(revealer.push(decoder.decode()) + revealer.end());
  const end = last === "" || last.endsWith("\n") ? rest : `${rest}\n`;
  last = "";
  if (end !== "") await write(end);
}

function note(text: string): string {
  last = text.at(-1) ?? last;
  return text;
}

function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    put(process.stdout, data, (error) => {
      if (error) reject(error);
      // A pipe takes bytes at once, and a body that is resumed in the same turn would starve its socket.
      else setImmediate(resolve);
    });
  });
}
