// A body as multipart/form-data. A file is `{filename, contentType, base64}`; arrays become repeated
// parts, objects JSON parts. The boundary is made of the content, so that the same call gives the
// same bytes.

import { createHash } from "node:crypto";
import { isKeptNumber } from "@hawser/wire";
import type { RequestBodyMedia } from "../openapi/operation.ts";
import { fromBase64 } from "./base64.ts";
import { isGiven, toText } from "./parameter-styles.ts";
import { checkHeaderValue, checkValue } from "./safe-text.ts";

interface Part {
  readonly head: string;
  readonly content: Buffer;
}

export function toMultipart(
  members: Readonly<Record<string, unknown>>,
  contentType: string,
  encoding: RequestBodyMedia["encoding"],
): { readonly contentType: string; readonly content: Buffer } {
  const parts = Object.entries(members).flatMap(([name, value]) => {
    const partType = encoding && Object.hasOwn(encoding, name) ? encoding[name]?.contentType : undefined;
    return (Array.isArray(value) ? value : [value]).filter(isGiven).map((item) => toPart(name, item, partType));
  });
  const boundary = boundaryOf(parts);
  const chunks = parts.flatMap(({ head, content }) => [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from("\r\n")]);
  const type = contentType.replace(/;\s*boundary=("[^"]*"|[^;]*)/i, "");
  return { contentType: `${type}; boundary=${boundary}`, content: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]) };
}

function toPart(name: string, value: unknown, partType: string | undefined): Part {
  const disposition = `Content-Disposition: form-data; name="${quoted(name, "field name")}"`;
  if (isFile(value)) {
    const type = checkHeaderValue(value.contentType ?? partType ?? "application/octet-stream", `content type of ${name}`);
    const filename = quoted(value.filename ?? name, "file name");
    const head = `${disposition}; filename="${filename}"\r\nContent-Type: ${type}`;
    return { head, content: fromBase64(value.base64, `file ${name}`) };
  }
  const type = partType ?? (typeof value === "object" && !isKeptNumber(value) ? "application/json" : undefined);
  const typeLine = type === undefined ? "" : `\r\nContent-Type: ${checkHeaderValue(type, `content type of ${name}`)}`;
  return { head: disposition + typeLine, content: Buffer.from(toText(value)) };
}

function isFile(value: unknown): value is { readonly filename?: string; readonly contentType?: string; readonly base64: string } {
  if (typeof value !== "object" || value === null) return false;
  const { base64, filename, contentType } = value as Record<string, unknown>;
  const isTextOrMissing = (member: unknown) => member === undefined || typeof member === "string";
  return typeof base64 === "string" && isTextOrMissing(filename) && isTextOrMissing(contentType);
}

function quoted(text: string, what: string): string {
  return checkValue(text, what).replaceAll('"', "%22");
}

function boundaryOf(parts: readonly Part[]): string {
  const hash = createHash("sha256");
  for (const { head, content } of parts) hash.update(`${head.length}:${content.length}:`).update(head).update(content);
  return `hawser-${hash.digest("hex").slice(0, 40)}`;
}
