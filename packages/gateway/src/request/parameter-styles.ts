// How OpenAPI writes a value into a path, a query, a header or a cookie. Members that are null or undefined are left out; a
// value inside a value, for which the specification has no form, is written as JSON.

import { isContainer } from "@hawser/wire/internal";
import type { Parameter } from "../openapi/operation.ts";
import { checkHeaderValue, checkValue, type Pair, usage } from "./safe-text.ts";

type Encode = (text: string) => string;

/** Percent-encodes everything that is not unreserved in RFC 3986. */
export const encodeStrictly: Encode = (text) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

// Reserved characters stay, except those that would end the value or the query.
const encodeReserved: Encode = (text) => encodeStrictly(text).replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);

/** What replaces `{name}` in the path. */
export function toPathText(parameter: Parameter, value: unknown): string {
  const { name, style, explode } = parameter;
  const encode = (text: string) => encodeStrictly(checkValue(text, `path parameter ${name}`));
  if (parameter.contentType !== undefined) return encode(toContentText(parameter, value));
  const key = encodeStrictly(name);
  const pairs = pairsOf(value);
  const items = flatItems(value, encode);
  if (items.join("") === "" && style === "simple") throw usage(`path parameter ${name} is empty, which would change the path`);
  const members = pairs?.map(([member, text]) => `${encode(member)}=${encode(text)}`);
  if (style === "label") return `.${explode ? (members ?? items).join(".") : items.join(",")}`;
  if (style === "matrix") {
    if (explode && members) return members.map((member) => `;${member}`).join("");
    if (explode && Array.isArray(value)) return items.map((item) => `;${key}=${item}`).join("");
    const text = items.join(",");
    return text === "" ? `;${key}` : `;${key}=${text}`;
  }
  return (explode && members ? members : items).join(",");
}

/** `name=value` parts of the query, encoded. */
export function toQueryParts(parameter: Parameter, value: unknown): string[] {
  const { name, style, explode, allowReserved } = parameter;
  const encodeValue = allowReserved ? encodeReserved : encodeStrictly;
  const encode = (text: string) => encodeValue(checkValue(text, `query parameter ${name}`));
  const toPart = ([key, text]: Pair) => `${encodeStrictly(checkValue(key, `query parameter ${name}`))}=${encode(text)}`;
  if (parameter.contentType !== undefined) return [toPart([name, toContentText(parameter, value)])];
  if (style === "deepObject") return deepPairs(name, value).map(toPart);
  if (explode) return explodedPairs(name, value).map(toPart);
  const delimiter = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
  const items = flatItems(value, encode);
  return Array.isArray(value) && items.length === 0 ? [] : [`${encodeStrictly(name)}=${items.join(delimiter)}`];
}

/** The whole query as one value: fields of a form, or a document such as JSON. */
export function toQueryString(parameter: Parameter, value: unknown): string {
  const what = `parameter ${parameter.name}, the whole query,`;
  if (!/x-www-form-urlencoded/i.test(parameter.contentType ?? "")) return encodeStrictly(checkValue(toContentText(parameter, value), what));
  if (typeof value === "string") return checkValue(value, what).replace(/^\?/, "");
  return explodedPairs(parameter.name, value)
    .map(([name, text]) => `${encodeStrictly(checkValue(name, what))}=${encodeStrictly(checkValue(text, what))}`)
    .join("&");
}

/** A header's value; nothing is encoded there, so that what can't be sent is refused. */
export function toHeaderText(parameter: Parameter, value: unknown): string {
  const what = `header parameter ${parameter.name}`;
  if (parameter.contentType !== undefined) return checkHeaderValue(toAsciiJson(toContentText(parameter, value)), what);
  const pairs = parameter.explode ? pairsOf(value) : undefined;
  const items = pairs ? pairs.map(([name, text]) => `${name}=${text}`) : flatItems(value, (text) => text);
  return checkHeaderValue(items.join(","), what);
}

/** `name=value` parts of the Cookie header. */
export function toCookieParts(parameter: Parameter, value: unknown): string[] {
  const { name } = parameter;
  const encode =
    parameter.style === "cookie" ? checkCookieText(name) : (text: string) => encodeStrictly(checkValue(text, `cookie parameter ${name}`));
  const toPart = ([key, text]: Pair) => `${encode(key)}=${encode(text)}`;
  if (parameter.contentType !== undefined) return [toPart([name, toContentText(parameter, value)])];
  if (parameter.explode) return explodedPairs(name, value).map(toPart);
  return [`${encode(name)}=${flatItems(value, encode).join(",")}`];
}

// The style `cookie` encodes nothing, so what could end the value or begin another cookie is refused.
function checkCookieText(name: string): Encode {
  return (text) => {
    if (/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(text)) return text;
    throw usage(`cookie parameter ${name} holds a character that a cookie can't carry; encode it first`);
  };
}

/** A value as one text: strings as they are, everything that is not a primitive as JSON. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** One pair per array item or object member, as `form` does when it explodes. */
export function explodedPairs(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return value.filter(isGiven).map((item) => [name, toText(item)]);
  return pairsOf(value) ?? [[name, toText(value)]];
}

/** `name[member]=value`, for objects in objects too. */
export function deepPairs(name: string, value: unknown): Pair[] {
  const members = membersOf(value);
  if (!members) throw usage(`parameter ${name} takes an object`);
  return members.flatMap(([member, item]) => {
    const key = `${name}[${member}]`;
    if (membersOf(item)) return deepPairs(key, item);
    return explodedPairs(key, item);
  });
}

/** Array items, or names and values of members in turn, or the one value. */
export function flatItems(value: unknown, encode: Encode): string[] {
  if (Array.isArray(value)) return value.filter(isGiven).map((item) => encode(toText(item)));
  return pairsOf(value)?.flatMap(([name, text]) => [encode(name), encode(text)]) ?? [encode(toText(value))];
}

function pairsOf(value: unknown): Pair[] | undefined {
  return membersOf(value)?.map(([name, item]) => [name, toText(item)]);
}

function membersOf(value: unknown): [string, unknown][] | undefined {
  if (!isContainer(value) || Array.isArray(value)) return undefined;
  return Object.entries(value).filter(([, item]) => isGiven(item));
}

export function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function toContentText(parameter: Parameter, value: unknown): string {
  const isJson = /[/+]json\b/i.test(parameter.contentType ?? "");
  return isJson ? JSON.stringify(value) : toText(value);
}

function toAsciiJson(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
