// The address of a request: the configured origin and base path, then the caller's path. A path that could lead elsewhere is
// refused in every spelling, also in ones that only a server behind the gateway would decode.

import type { Target } from "../config/target.ts";
import { checkValue, shown, usage } from "./safe-text.ts";

// A proxy decodes once, the server behind it perhaps again; no chain of servers decodes more often than this.
const maxDecodings = 8;
// ASCII characters in the guise of longer UTF-8, which careless decoders take for `.` and `/`.
const overlong = /%c[01]|%e0%[89]|%f0%8/i;
// `..;x` is a dot segment too for servers that know path parameters.
const dotSegment = /(?:^|\/)\.\.?(?:;[^/]*)?(?:\/|$)/;

// No segment begins with a dot, and there is nothing that any decoding would change: none of the checks below could refuse it.
const plainPath = /^(?:\/[\w~-][\w.~-]*)+\/?$/;
const plainPathChars = 2_048;
const isPlainPath = (path: string): boolean => path.length <= plainPathChars && plainPath.test(path);

/** A path of an item as its two parts. The path gets its leading slash; the query is as given, without `?`. */
export function splitPath(path: string): { readonly path: string; readonly query: string } {
  if (isPlainPath(path)) return { path, query: "" };
  checkValue(path, "path");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw refusal(path, "is an address; give only the path below the gateway's address");
  if (/\s/.test(path)) throw refusal(path, "holds white space; write it as %20");
  if (path.includes("#")) throw refusal(path, "holds a fragment; write # as %23");
  const mark = path.indexOf("?");
  const beforeQuery = mark === -1 ? path : path.slice(0, mark);
  const query = mark === -1 ? "" : path.slice(mark + 1);
  if (/%0[0ad]/i.test(query)) throw refusal(path, "holds an encoded line break or NUL");
  const withSlash = beforeQuery.startsWith("/") ? beforeQuery : `/${beforeQuery}`;
  checkPath(withSlash, path);
  return { path: withSlash, query };
}

/** Refuses a path that some decoding turns into one that leaves its place. `asGiven` is for the message. */
function checkPath(path: string, asGiven: string): void {
  let decoded = path;
  for (let round = 0; round <= maxDecodings; round++) {
    if (/[\0-\x1f\x7f]/.test(decoded)) throw refusal(asGiven, "holds a control character");
    if (overlong.test(decoded)) throw refusal(asGiven, "holds bytes that are not UTF-8");
    if (decoded.includes("\\")) throw refusal(asGiven, "holds a backslash");
    if (decoded.startsWith("//")) throw refusal(asGiven, "begins with two slashes, which would name another host");
    if (dotSegment.test(decoded)) throw refusal(asGiven, "holds a . or .. segment");
    // Byte by byte, so that one broken escape does not shield the others.
    const next = decoded.replaceAll(/%(?:u00)?([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (next === decoded) return;
    decoded = next;
  }
  throw refusal(asGiven, "is percent-encoded too many times");
}

/** The whole address of a path that none of the checks could refuse; undefined for every other one. */
export const toPlainUrl = (target: Target, path: string): string | undefined => (isPlainPath(path) ? baseOf(target) + path : undefined);

/** The whole address. `queryParts` are encoded already. */
export function toTargetUrl(target: Target, path: string, queryParts: readonly string[]): string {
  const base = baseOf(target);
  const query = queryParts.filter((part) => part !== "").join("&");
  // A URL would leave it as it is.
  if (query === "" && isPlainPath(path)) return base + path;
  let url: string;
  try {
    url = new URL(`${base}${path}${query === "" ? "" : `?${query}`}`).href;
  } catch {
    throw refusal(path, "makes no address");
  }
  // Everything above refuses what would lead away; this is the promise itself: another host, a user name or a way up would show there.
  if (!url.startsWith(`${base}/`)) throw refusal(path, "leads away from the configured address");
  return url;
}

const bases = new WeakMap<Target, string>();

/** Origin and base path, without a slash at the end; computed once per target, since it costs more than it seems. */
function baseOf(target: Target): string {
  let base = bases.get(target);
  if (base === undefined) {
    const { origin, pathname } = target.baseUrl;
    base = origin + pathname.replace(/\/+$/, "");
    bases.set(target, base);
  }
  return base;
}

function refusal(path: string, why: string): Error {
  return usage(`path ${shown(path)} ${why}`);
}
