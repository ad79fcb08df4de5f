// Where calls go and with which token, and the check of each of its values. Errors say what is wrong without showing a
// secret.

import { resolve } from "node:path";
import { gatewayLimits } from "../limits.ts";
import { configError } from "./config-file.ts";

export interface Target {
  /** The gateway's address: an origin, perhaps with a base path. Never with user name or password. */
  readonly baseUrl: URL;
  readonly token?: string | undefined;
  readonly auth: AuthPlacement;
  /** The API document where one is named: an absolute path, or an http or https address. */
  readonly specFile?: string | undefined;
  /** The profile it came from, for messages. */
  readonly profile?: string | undefined;
}

/** How the token travels: a header (the default, `X-Ignition-API-Token`), or a security scheme of the document by name. */
export type AuthPlacement =
  | { readonly kind: "header"; readonly header: string; readonly prefix: string }
  | { readonly kind: "scheme"; readonly name: string };

/** An http or https address, perhaps with a base path; without user, query and fragment. */
export function parseGatewayUrl(text: string): URL {
  const trimmed = text.trim();
  // Not shown: what is given instead of an address may be a token in the wrong place, or hold a password.
  if (!URL.canParse(trimmed)) throw configError("the gateway's address is not a URL such as http://127.0.0.1:8088");
  const url = new URL(trimmed);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw configError("the gateway's address must begin with http:// or https://");
  if (url.username !== "" || url.password !== "") {
    throw configError(
      "the gateway's address must not contain a user name or password; give the token as --api-key-file or IGNITION_API_TOKEN",
    );
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(trimmed))
    throw configError("the gateway's address must have no query and no fragment");
  url.pathname = url.pathname.replace(/\/+$/, "") || "/";
  return url;
}

const webAddress = /^https?:\/\//i;

/** The address of a document that is not a file; undefined for a file. Throws `usage` for one that can't be asked. */
export function toDocumentUrl(specFile: string | undefined): URL | undefined {
  if (specFile === undefined || !webAddress.test(specFile)) return undefined;
  if (!URL.canParse(specFile)) throw configError("the address of the API document is not a URL such as https://api.example/openapi.json");
  const url = new URL(specFile);
  if (url.username !== "" || url.password !== "")
    throw configError("the address of the API document must not contain a user name or password");
  url.hash = "";
  return url;
}

/** A document as it is kept: an address as URLs are written, or an absolute path. Throws `usage` for a broken address. */
export const toSpecFile = (text: string, folder: string): string => toDocumentUrl(text.trim())?.href ?? resolve(folder, text.trim());

/** Trimmed; refuses what can't be sent in a header. */
export function parseToken(text: string): string {
  const token = text.trim();
  if (Buffer.byteLength(token) > gatewayLimits.maxTokenBytes)
    throw configError(`the token is longer than ${gatewayLimits.maxTokenBytes} bytes`);
  if (!/^[\x20-\x7e]*$/.test(token)) {
    throw configError("the token contains a line break, another control character or a letter that can't be sent; copy it again");
  }
  return token;
}

/** They belong to the connection. */
export const framingHeaders = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect", "te", "trailer"];

/** `what` is what the message calls it. */
export function parseHeaderName(text: string, what = "authHeader"): string {
  const name = text.trim();
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) throw configError(`${what} is not the name of a header`);
  if ([...framingHeaders, "content-type"].includes(name.toLowerCase())) throw configError(`${what} can't be ${name}`);
  return name;
}
