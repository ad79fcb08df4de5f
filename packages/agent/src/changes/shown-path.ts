// Paths of changes as they stand in answers: relative to the first root, or else absolute, folders with `/` at the end. A name that is not
// UTF-8 can't stand in JSON: such a path is written in double quotes with its bytes in octal, `"caf\351.txt"`, as git does it.

import { join, relative, sep } from "node:path";
import type { Roots } from "../tools/files/roots.ts";
import { toNameKey, toPath } from "./thread/entry.ts";

/** Of a real path in a root. */
export const keyIn = (root: string, real: string): string => relative(root, real).split(sep).join("/");

export function showKey(roots: Roots, root: string, key: string): string {
  const shown = showReal(roots, root, key);
  const needsQuotes = key.includes("\0") || shown.startsWith('"');
  return needsQuotes ? quote(shown) : shown;
}

/** Bytes that are not UTF-8 as Latin-1 after a NUL character, as keys have them. */
function showReal(roots: Roots, root: string, key: string): string {
  const isFolder = key.endsWith("/");
  const real = join(root, key);
  const shown = key === "" ? roots.show(root) : roots.show(isFolder ? real.slice(0, -1) : real);
  return isFolder ? `${shown}/` : shown;
}

function quote(text: string): string {
  const parts = text.split("/").map((part) => {
    const bytes = part.startsWith("\0") ? Buffer.from(part.slice(1), "latin1") : Buffer.from(part);
    const signs = part.startsWith("\0") ? Array.from(bytes, toSign) : Array.from(part, (sign) => escapePlain(sign));
    return signs.join("");
  });
  return `"${parts.join("/")}"`;
}

const escapePlain = (sign: string): string => (sign === '"' || sign === "\\" ? `\\${sign}` : sign);

const toSign = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f ? escapePlain(String.fromCharCode(byte)) : `\\${byte.toString(8).padStart(3, "0")}`;

/** What a path in a request means; undefined outside of the roots. */
export function toKey(roots: Roots, text: string): { readonly root: string; readonly key: string } | undefined {
  const bytes = /^".*"$/s.test(text) ? unquote(text.slice(1, -1)) : Buffer.from(text);
  const isFolder = bytes.at(-1) === 0x2f;
  const parts = splitBytes(bytes).map(toNameKey);
  const path = (bytes[0] === 0x2f ? "/" : "") + parts.filter((part) => part !== "" && part !== ".").join("/");
  const real = path.startsWith("/") ? path : join(roots.paths[0], path);
  if (parts.includes("..")) return undefined;
  const root = roots.rootOf(real);
  if (root === undefined) return undefined;
  const key = keyIn(root, real);
  return { root, key: isFolder && key !== "" ? `${key}/` : key };
}

function unquote(text: string): Buffer {
  const pieces = text.match(/\\[0-7]{3}|\\.|[^\\]+/gs) ?? [];
  return Buffer.concat(
    pieces.map((piece) => {
      if (/^\\[0-7]{3}$/.test(piece)) return Buffer.from([Number.parseInt(piece.slice(1), 8) & 0xff]);
      return Buffer.from(piece.startsWith("\\") ? piece.slice(1) : piece);
    }),
  );
}

function splitBytes(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(0x2f); at !== -1; at = bytes.indexOf(0x2f, start)) {
    parts.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return [...parts, bytes.subarray(start)];
}

/** The real path as text, for judging: bytes that are not UTF-8 are replaced. */
export const realText = (root: string, key: string): string => toPath(root, key).toString();
