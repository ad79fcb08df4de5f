// How the token joins a request. It is added last, only to a request for the configured origin, and
// replaces whatever the request itself brought under that name.

import { HawserError } from "@hawser/protocol";
import { type Target, parseHeaderName } from "../config/target.ts";
import type { SecurityScheme } from "../openapi/operation.ts";
import { isToken } from "../request/safe-text.ts";
import type { HttpRequest } from "../request/build-request.ts";

export interface Credential {
  readonly origin: string;
  readonly token: string;
  readonly in: "header" | "query" | "cookie";
  readonly field: string;
  readonly prefix: string;
}

/** Undefined without a token. A scheme that the document does not have is an error of the configuration. */
export function toCredential(target: Target, schemes: readonly SecurityScheme[]): Credential | undefined {
  const { token, auth } = target;
  if (token === undefined) return undefined;
  const origin = target.baseUrl.origin;
  if (auth.kind === "header") return { origin, token, in: "header", field: auth.header, prefix: auth.prefix };
  const scheme = schemes.find(({ name }) => name === auth.name);
  if (scheme) return { origin, token, in: scheme.in, field: fieldOf(scheme), prefix: scheme.prefix };
  const known = schemes.map(({ name }) => name).join(", ") || "none";
  throw new HawserError("usage", `the API document has no security scheme "${auth.name}" (it has: ${known}). Correct authScheme`);
}

// A document is not trusted with more than a name: a header such as Host or Content-Length frames the message.
function fieldOf({ name, in: place, field }: SecurityScheme): string {
  const what = `the name in the API document's security scheme "${name}"`;
  if (place === "header") return parseHeaderName(field, what);
  if (place === "cookie" && !isToken(field)) throw new HawserError("usage", `${what} is not the name of a cookie`);
  return field;
}

/** Path with query, and headers as a flat list, as they go over the wire. `origin` is that of `url`. */
export function toWireRequest(request: HttpRequest, url: string, origin: string, credential: Credential | undefined) {
  const headers: string[] = [];
  const own = credential?.origin === origin ? credential : undefined;
  const managed = own?.in === "header" ? own.field.toLowerCase() : undefined;
  let cookies = "";
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (lower === managed) continue;
    if (own?.in === "cookie" && lower === "cookie") cookies += `${value}; `;
    else headers.push(name, value);
  }
  if (own?.in === "header") headers.push(own.field, own.prefix + own.token);
  if (own?.in === "cookie") headers.push("cookie", `${cookies}${own.field}=${own.prefix}${own.token}`);
  const path = url.slice(origin.length);
  if (own?.in !== "query") return { path, headers };
  const entry = `${encodeURIComponent(own.field)}=${encodeURIComponent(own.prefix + own.token)}`;
  return { path: `${path}${path.includes("?") ? "&" : "?"}${entry}`, headers };
}
