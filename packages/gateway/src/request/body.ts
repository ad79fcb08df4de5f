// The body of a request: a string goes as it is, base64 as its bytes, any other JSON value in the form
// that the content type asks for.

import { isKeptNumber, type CallItem } from "@hawser/wire";
import type { OperationDescription, RequestBodyMedia } from "../openapi/operation.ts";
import { fromBase64 } from "./base64.ts";
import { toFormText } from "./form-body.ts";
import { toMultipart } from "./multipart-body.ts";
import { isGiven } from "./parameter-styles.ts";
import { checkHeaderValue, shown, usage } from "./safe-text.ts";

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
  const media = operation?.requestBody?.media.find((one) => essence(one.contentType) === essence(contentType));
  return serialize(value, contentType, media);
}

function serialize(value: unknown, contentType: string, media: RequestBodyMedia | undefined): RequestBody {
  const type = essence(contentType);
  if (isJsonType(type)) return { contentType, content: JSON.stringify(value) };
  if (type === "application/x-www-form-urlencoded") return { contentType, content: toFormText(toMembers(value, type), media?.encoding) };
  if (type === "multipart/form-data") return toMultipart(toMembers(value, type), contentType, media?.encoding);
  if (type.startsWith("text/") && (typeof value !== "object" || isKeptNumber(value)))
    return { contentType, content: JSON.stringify(value) };
  throw usage(`a body of type ${shown(type)} must be a string; bytes go as base64 with bodyEncoding "base64"`);
}

export const isJsonType = (type: string): boolean => type === "application/json" || type.endsWith("+json");

function toMembers(value: unknown, type: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isKeptNumber(value))
    throw usage(`a body of type ${type} must be an object or a string`);
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
