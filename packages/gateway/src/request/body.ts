// The body of a request: a string goes as it is, base64 as its bytes, any other JSON value in the form that the content type
// asks for. In multipart a file is `{filename, contentType, base64}`; the same call always gives the same bytes.

import { createHash } from "node:crypto";
import type { CallItem } from "@hawser/protocol";
import { isContainer } from "@hawser/wire/internal";
import type { OperationDescription, RequestBodyMedia } from "../openapi/operation.ts";
import { isGiven, deepPairs, explodedPairs, flatItems, toText } from "./parameter-styles.ts";
import { fromBase64, checkHeaderValue, type Pair, shown, usage, checkValue } from "./safe-text.ts";

export interface RequestBody {
  readonly contentType: string;
  readonly content: string | Buffer;
}

const defaultContentType = "application/json";

/** Nothing for no body, `null` and the empty string. `givenType` is what the item's headers or `contentType` say. */
export function toRequestBody(
  item: CallItem,
  value: unknown,
  givenType: string | undefined,
  operation: OperationDescription | undefined,
): RequestBody | undefined {
  if (!isGiven(value) || value === "") return undefined;
  const contentType = givenType ?? contentTypeOf(operation, value);
  checkHeaderValue(contentType, "content type");
  if (item.bodyEncoding === "base64") return { contentType, content: fromBase64(value, "body") };
  if (typeof value === "string") return { contentType, content: value };
  const type = essence(contentType);
  const media = operation?.requestBody?.media.find((one) => essence(one.contentType) === type);
  if (isJsonType(type)) return { contentType, content: JSON.stringify(value) };
  if (type === "application/x-www-form-urlencoded") return { contentType, content: toFormText(toMembers(value, type), media?.encoding) };
  if (type === "multipart/form-data") return toMultipart(toMembers(value, type), contentType, media?.encoding);
  if (type.startsWith("text/") && !isContainer(value)) return { contentType, content: JSON.stringify(value) };
  throw usage(`a body of type ${shown(type)} must be a string; bytes go as base64 with bodyEncoding "base64"`, {
    asFlags: { message: `a body of type ${shown(type)} must be given whole: --body @<file>` },
  });
}

export const isJsonType = (type: string): boolean => type === "application/json" || type.endsWith("+json");

function toMembers(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (!isContainer(value) || Array.isArray(value)) throw usage(`a body of type ${type} must be an object or a string`);
  return value as Readonly<Record<string, unknown>>;
}

// The document decides only where it leaves no choice; a form of JSON goes before others for values.
export function contentTypeOf(operation: OperationDescription | undefined, value: unknown): string {
  const types = (operation?.requestBody?.media ?? []).map((media) => media.contentType).filter((type) => !type.includes("*"));
  const [only] = types;
  if (only !== undefined && types.length === 1) return only;
  if (types.some((type) => essence(type) === defaultContentType) || typeof value === "string") return defaultContentType;
  return types.find((type) => essence(type).endsWith("+json")) ?? defaultContentType;
}

/** The type without its parameters. */
export function essence(contentType: string): string {
  return (contentType.split(";", 1)[0] as string).trim().toLowerCase();
}

type Encoding = RequestBodyMedia["encoding"];

function toFormText(members: Readonly<Record<string, unknown>>, encoding: Encoding): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(members).filter((member) => isGiven(member[1])))
    for (const pair of pairsOf(name, value, encoding)) fields.append(...pair);
  return fields.toString();
}

function pairsOf(name: string, value: unknown, encoding: Encoding): readonly Pair[] {
  const rule = encoding && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const style = rule?.style;
  if (style === "deepObject") return deepPairs(name, value);
  if (style !== undefined && (rule?.explode ?? style === "form")) return explodedPairs(name, value);
  if (style !== undefined || rule?.explode === false) {
    const delimiter = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",";
    return [[name, flatItems(value, (text) => text).join(delimiter)]];
  }
  if (Array.isArray(value) && !rule?.contentType) return explodedPairs(name, value);
  return [[name, toText(value)]];
}

interface Part {
  readonly head: string;
  readonly content: Buffer;
}

function toMultipart(members: Readonly<Record<string, unknown>>, contentType: string, encoding: Encoding): RequestBody {
  const parts = Object.entries(members).flatMap(([name, value]) => {
    const partType = encoding && Object.hasOwn(encoding, name) ? encoding[name]?.contentType : undefined;
    return (Array.isArray(value) ? value : [value]).filter(isGiven).map((item) => toPart(name, item, partType));
  });
  const hash = createHash("sha256");
  for (const { head, content } of parts) hash.update(`${head.length}:${content.length}:`).update(head).update(content);
  const boundary = `hawser-${hash.digest("hex").slice(0, 40)}`;
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
  const type = partType ?? (isContainer(value) ? "application/json" : undefined);
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
